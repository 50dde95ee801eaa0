import type { ReplyEvent } from '../../../src/core/neutral/reply-event.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { SseFramer } from '../../../src/wire/sse-framer.ts'
import type { Recording } from '../recordings/recording.ts'
import { tally } from '../report/tally.ts'
import { countingMint, upstreamContext } from './contexts.ts'

const frameBytesMax = 16_000_000
const encoder = new TextEncoder()
const blankLine = encoder.encode('\n\n')

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text)
}

/** The decoder's result for a stream that arrives in these pieces and is then closed. */
export function decodePieces(
  recording: Recording,
  pieces: readonly Uint8Array[],
  mint = countingMint(),
): ReplyEvent[] {
  tally('stream decodings')
  tally('pieces of streams', pieces.length)
  const context = upstreamContext(recording, mint)
  const decoder = protocols[recording.protocol].translation.openDecoder(context)
  const framer = new SseFramer(frameBytesMax)
  const events: ReplyEvent[] = []
  const push = (piece: Uint8Array) => {
    for (const frame of framer.push(piece)) events.push(...decoder.push(frame))
  }
  for (const piece of pieces) push(piece)
  // Some upstreams omit the last blank line; the event before it still counts.
  if (framer.unfinishedBytes > 0) push(blankLine)
  events.push(...decoder.end())
  return events
}

/** The events of a recorded reply, streamed or not. */
export function decodeRecording(recording: Recording, mint = countingMint()): ReplyEvent[] {
  const { form, text } = recording.reply
  if (form === 'stream') return decodePieces(recording, [bytesOf(text)], mint)
  tally('whole replies decoded')
  const { translation } = protocols[recording.protocol]
  return translation.decodeReply(text, upstreamContext(recording, mint))
}
