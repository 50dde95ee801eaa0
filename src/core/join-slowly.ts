import { turns } from './turns.ts'

/** Copying so much, into memory that is new, takes some milliseconds. */
const bytesATurn = 4 * 1024 * 1024

/** All pieces in one; a large one is copied in turns. */
export async function joinSlowly(pieces: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  let length = 0
  for (const piece of pieces) length += piece.length
  const whole = new Uint8Array(length)
  let at = 0
  let copied = 0
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += bytesATurn) {
      if (copied >= bytesATurn) {
        await turns.next()
        copied = 0
      }
      const part = piece.subarray(from, from + bytesATurn)
      whole.set(part, at)
      at += part.length
      copied += part.length
    }
  }
  return whole
}
