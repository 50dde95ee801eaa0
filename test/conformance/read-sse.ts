import { parseJson } from '../../src/wire/json.ts'

/** One event of a stream, read without the gateway's own framer. */
export interface WireEvent {
  readonly event: string | undefined
  readonly data: string
  /** Undefined for data that is not JSON: `[DONE]`. */
  readonly json: unknown
}

export function readSse(text: string): WireEvent[] {
  return text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((block) => block.split(/\r\n|\n|\r/))
    .filter((lines) => lines.some((line) => line.startsWith('data:')))
    .map((lines) => {
      const data = fieldOf(lines, 'data') ?? ''
      return { event: fieldOf(lines, 'event'), data, json: parseJson(data) }
    })
}

function fieldOf(lines: readonly string[], name: string): string | undefined {
  const found = lines
    .filter((line) => line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
  return found.length === 0 ? undefined : found.join('\n')
}
