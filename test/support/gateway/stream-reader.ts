/** Reads a streamed answer bit by bit, as a client does that shows words as they come. */
export interface StreamReader {
  readonly requestId: string
  /** Everything up to and including these words. */
  readUntil(words: string): Promise<string>
  /** Everything so far, once there is more of it. */
  readMore(): Promise<string>
  /** Everything there was, once there is no more. */
  readAll(): Promise<string>
}

export function readStream(response: Response): StreamReader {
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let seen = ''
  const readOn = async (): Promise<boolean> => {
    const next = await reader?.read()
    if (next === undefined || next.done) return false
    seen += decoder.decode(next.value, { stream: true })
    return true
  }
  return {
    requestId: response.headers.get('x-request-id') ?? '',
    readUntil: async (words) => {
      while (!seen.includes(words)) {
        if (!(await readOn())) throw new Error(`the stream ended without "${words}": ${seen}`)
      }
      return seen
    },
    readMore: async () => {
      if (!(await readOn())) throw new Error(`the stream ended: ${seen}`)
      return seen
    },
    readAll: async () => {
      while (await readOn());
      return seen
    },
  }
}
