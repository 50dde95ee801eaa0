/** The runtime copies a body when it begins to send it, in one go: of a longer one that would keep the event loop. */
const atOnceBytesMax = 8 * 1024 * 1024
const portionBytes = 1024 * 1024

/** A large body as a stream, so that it is copied as the client takes it. */
export function inPortions(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.length <= atOnceBytesMax) return bytes
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + portionBytes))
        at += portionBytes
        if (at >= bytes.length) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
