/**
 * Where the words and the files of an answer stand, lists left out, in a whole reply and in an event. Every protocol
 * writes them as one JSON string of its own, so a translation can carry them over as they are escaped already. Thoughts
 * are not among them: they may be remembered. Nor are arguments of calls: they may be written as an object.
 */
const carriedPaths = new Set([
  // chat-completions
  'choices.message.content',
  'choices.message.content.text',
  'choices.message.images.image_url.url',
  'choices.message.audio.data',
  'choices.delta.content',
  'choices.delta.content.text',
  'choices.delta.images.image_url.url',
  'choices.delta.audio.data',
  // messages
  'content.text',
  'content_block.text',
  'delta.text',
  // responses
  'output.content.text',
  'output.result',
  'response.output.content.text',
  'response.output.result',
  'item.content.text',
  'item.result',
  'partial_image_b64',
  // generate-content
  'candidates.content.parts.text',
  'candidates.content.parts.inlineData.data',
  'candidates.content.parts.inline_data.data',
])

/** Events of the responses protocol hold their text directly, and so do those that bring arguments or thoughts. */
const textEvents = new Set(['response.output_text.delta', 'response.refusal.delta'])

/** `type` is that of an event, in protocols that have one. */
export function isCarriedInReply(path: string, type: string | undefined): boolean {
  if (path === 'delta') return type !== undefined && textEvents.has(type)
  if (path === 'text') return type === 'response.output_text.done'
  if (path === 'part.text') return type === 'response.content_part.done'
  return carriedPaths.has(path)
}
