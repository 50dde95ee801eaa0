import { isDeepStrictEqual } from 'node:util'
import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { checkEventOrder } from '../check-event-order.ts'
import { bytesOf, decodePieces, decodeRecording } from '../pipeline/decode-stream.ts'
import { cutRandomly } from '../pipeline/random-cuts.ts'
import type { Recording } from '../recordings/recording.ts'
import { type Case, repliesOf } from './assertion.ts'

const fuzzRounds = 3

/** A1: every recorded reply decodes without throwing, to the same events wherever the stream is cut. */
export function a1DecodesAnyCut(recordings: readonly Recording[]): Case[] {
  return protocolNames.flatMap((protocol) => {
    const replies = repliesOf(recordings, protocol)
    const streams = replies.filter(({ reply }) => reply.form === 'stream')
    return [
      {
        name: `A1 ${protocol}: a stream decodes to the same events however its bytes are split`,
        run: (judge) => {
          for (const recording of streams) judge.check(recording.name, () => cutProblems(recording))
        },
      },
      {
        name: `A1 ${protocol}: events come in order`,
        run: (judge) => {
          for (const recording of replies) {
            judge.check(recording.name, () => checkEventOrder(decodeRecording(recording)))
          }
        },
      },
    ] satisfies Case[]
  })
}

function cutProblems(recording: Recording): string[] {
  const bytes = bytesOf(recording.reply.text)
  const expected = decodePieces(recording, [bytes])
  const cuts = [
    Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)),
    ...Array.from({ length: fuzzRounds }, () => cutRandomly(bytes, 7)),
    cutRandomly(bytes, 1500),
  ]
  return cuts.flatMap((pieces, round) =>
    isDeepStrictEqual(decodePieces(recording, pieces), expected) ? [] : [`cut ${round} differs`],
  )
}
