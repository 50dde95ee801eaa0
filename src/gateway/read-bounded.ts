/** Reads a body to its end, but never more than `bytesMax`; undefined when there is more. */
export function readBounded(
  response: Response,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const declared = response.headers.get('content-length')
  if (declared === null) return readPieces(response, bytesMax)
  if (Number(declared) > bytesMax) return giveUp(response)
  return response.bytes() as Promise<Uint8Array<ArrayBuffer>>
}

async function giveUp(response: Response): Promise<undefined> {
  await response.body?.cancel()
}

/** Without a declared length the body is counted as it comes. */
async function readPieces(
  response: Response,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
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
