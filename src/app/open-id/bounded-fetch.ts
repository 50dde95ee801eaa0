/**
 * The longest accepted answer. A discovery document, a set of keys and a token with all groups of a person are far
 * smaller.
 */
const answerBytesMax = 4 * 1024 * 1024

/** `fetch` that reads an answer completely, and refuses one that is longer than any valid answer. */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  const { status, headers } = response
  if (!response.body) return response
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > answerBytesMax) {
      throw new Error(`the identity provider sent more than ${answerBytesMax} bytes`)
    }
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  const plain = new Headers(headers)
  plain.delete('content-encoding')
  plain.delete('content-length')
  return new Response(status === 204 || status === 304 ? null : body, { status, headers: plain })
}
