/** The runtime copies a whole body at once when sending starts. Copying a longer body would block the event loop. */
const atOnceBytesMax = 8 * 1024 * 1024
const chunkBytes = 1024 * 1024

/** Converts a large body to a stream, so that the body is copied as the client reads it. */
export function inChunks(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.length <= atOnceBytesMax) return bytes
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + chunkBytes))
        at += chunkBytes
        if (at >= bytes.length) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
