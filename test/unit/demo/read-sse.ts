import type { StreamedEvent } from './spoken-protocol.ts'

/** A finished event stream, event by event; `[DONE]` stays text. */
export async function readSse(response: Response): Promise<readonly StreamedEvent[]> {
  const frames = (await response.text()).split(/\r?\n\r?\n/u).filter((frame) => frame !== '')
  return frames.map((frame) => {
    const fields = new Map(
      frame.split(/\r?\n/u).map((line): [string, string] => {
        const [name = '', ...rest] = line.split(': ')
        return [name, rest.join(': ')]
      }),
    )
    const data = fields.get('data') ?? ''
    return { event: fields.get('event'), data: data === '[DONE]' ? data : JSON.parse(data) }
  })
}
