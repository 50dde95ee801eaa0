export async function* splitBytes(
  chunks: AsyncIterable<Uint8Array>,
  bytesPerWrite: number,
): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += bytesPerWrite) {
      yield chunk.subarray(start, start + bytesPerWrite)
    }
  }
}
