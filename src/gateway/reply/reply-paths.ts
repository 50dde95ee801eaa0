/**
 * The paths of texts and files in a reply or an event, without list indexes. Every protocol writes these values as one
 * JSON string, so a translation carries them over with the escapes that they already have. Reasoning is not listed,
 * because it may be remembered. Arguments of calls are not listed, because they may be written as an object.
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

/** Events of the responses protocol with text in `delta`. Events with arguments or reasoning use the same member. */
const textEvents = new Set(['response.output_text.delta', 'response.refusal.delta'])

/** `type` is the type of an event, in protocols that have one. */
export function isCarriedInReply(path: string, type: string | undefined): boolean {
  if (path === 'delta') return type !== undefined && textEvents.has(type)
  if (path === 'text') return type === 'response.output_text.done'
  if (path === 'part.text') return type === 'response.content_part.done'
  return carriedPaths.has(path)
}
