import type { ReplyBody } from './reply.ts'

/** Reads a body to its end, but never more than that; undefined when there is more. */
export async function gatherBody(
  body: ReplyBody,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = []
  let length = 0
  for (let piece = await body.read(); piece; piece = await body.read()) {
    length += piece.length
    if (length > bytesMax) {
      body.cancel()
      return undefined
    }
    pieces.push(piece)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
