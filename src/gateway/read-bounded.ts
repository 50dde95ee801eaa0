/** Reads a body to its end, but never more than `bytesMax`; undefined when there is more. */
export async function readBounded(
  response: Response,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const declared = Number(response.headers.get('content-length') ?? Number.NaN)
  if (declared > bytesMax) {
    await response.body?.cancel()
    return undefined
  }
  if (declared >= 0) return (await response.bytes()) as Uint8Array<ArrayBuffer>
  if (!response.body) return new Uint8Array(0)
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of response.body as ReadableStream<Uint8Array>) {
    length += piece.length
    if (length > bytesMax) return undefined
    pieces.push(piece)
  }
  return join(pieces, length)
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
