import { turns } from './turns.ts'

/** Copying this much into new memory takes some milliseconds. */
const bytesATurn = 4 * 1024 * 1024

/** Joins all pieces; a large result is copied in turns. */
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
