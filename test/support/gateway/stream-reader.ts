/** Reads a streamed answer piece by piece, like a client that shows words as they arrive. */
export interface StreamReader {
  readonly requestId: string
  /** The text up to and including these words. */
  readUntil(words: string): Promise<string>
  /** The text so far, once more of it has arrived. */
  readMore(): Promise<string>
  /** The whole text, once the stream has ended. */
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
