import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { unreadableReply } from '../../fault-message.ts'
import type { UpstreamContext } from '../../translation.ts'
import { ContentChunkDecoder, parseChunk } from './decode-events.ts'

/** A whole reply is one chunk, or a list of chunks, and is always complete. */
export function decodeReply(text: string, context: UpstreamContext): ReplyEvent[] {
  const decoder = new ContentChunkDecoder(context)
  const value = parseChunk(text)
  const chunks = (Array.isArray(value) ? value : [value]).filter(isObject)
  if (!chunks.some(isReply)) return [{ type: 'fault', fault: unreadableReply() }]
  const events = chunks.flatMap((chunk) => decoder.read(chunk))
  return events.some((event) => event.type === 'fault') ? events : [...events, ...decoder.finish()]
}

const replyMembers = ['candidates', 'promptFeedback', 'usageMetadata', 'modelVersion', 'error']

function isReply(chunk: JsonObject): boolean {
  return replyMembers.some((name) => (chunk[name] ?? undefined) !== undefined)
}
