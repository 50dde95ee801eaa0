import { joinSlowly } from '../core/runtime/join-slowly.ts'
import type { ReplyBody } from './reply.ts'

/** Smaller pieces are copied into blocks as they arrive: each piece alone would keep its whole receive buffer alive. */
const blockBytesMin = 8 * 1024
const blockBytesMax = 256 * 1024

/** Reads a body to its end; undefined when the body exceeds `bytesMax`. */
export async function gatherBody(
  body: ReplyBody,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = []
  let block = new Uint8Array(0)
  let filled = 0
  let length = 0
  for (let piece = await body.read(); piece; piece = await body.read()) {
    length += piece.length
    if (length > bytesMax) {
      body.cancel()
      return undefined
    }
    if (filled + piece.length > block.length) {
      if (filled > 0) pieces.push(block.subarray(0, filled))
      filled = 0
      if (piece.length >= blockBytesMax) {
        block = new Uint8Array(0)
        pieces.push(piece)
        continue
      }
      const doubled = Math.min(2 * block.length, blockBytesMax)
      block = new Uint8Array(Math.max(blockBytesMin, doubled, piece.length))
    }
    block.set(piece, filled)
    filled += piece.length
  }
  pieces.push(block.subarray(0, filled))
  return joinSlowly(pieces)
}
