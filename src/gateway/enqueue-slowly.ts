import { turns } from '../core/turns.ts'
import { limits } from './limits.ts'

/** No more in a turn than can be written in one. */
export async function enqueueSlowly(
  controller: ReadableStreamDefaultController<Uint8Array>,
  pieces: readonly Uint8Array[],
): Promise<void> {
  const { writtenBytesATurn } = limits
  let written = 0
  for (const piece of pieces) {
    for (let at = 0; at === 0 || at < piece.length; at += writtenBytesATurn) {
      const part =
        at === 0 && piece.length <= writtenBytesATurn
          ? piece
          : piece.subarray(at, at + writtenBytesATurn)
      if (written > 0 && written + part.length > writtenBytesATurn) {
        await turns.next()
        written = 0
      }
      controller.enqueue(part)
      written += part.length
    }
  }
}
