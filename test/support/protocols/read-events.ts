import { parseJson } from '../../../src/wire/json.ts'
import type { StreamedEvent } from './test-protocol.ts'

/** The events of a finished event stream, without comments. */
export function readEvents(text: string): readonly StreamedEvent[] {
  const frames = text.split(/\r?\n\r?\n/u).filter((frame) => frame !== '')
  return frames.flatMap((frame): StreamedEvent[] => {
    const lines = frame.split(/\r?\n/u).filter((line) => !line.startsWith(':'))
    const field = (name: string) => {
      const line = lines.find((each) => each.startsWith(`${name}:`))
      return line?.slice(name.length + 1).trimStart()
    }
    const data = field('data')
    if (data === undefined) return []
    return [{ event: field('event'), data: parseJson(data) ?? data }]
  })
}
