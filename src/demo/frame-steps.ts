import type { StreamStep } from './demo-protocol.ts'

/** A piece of a response body; `isWord` as in the step it came from. */
export interface Frame {
  readonly text: string
  readonly isWord: boolean
}

export function* frameAsSse(steps: Iterable<StreamStep>, newline: '\n' | '\r\n'): Iterable<Frame> {
  for (const { event, data, isWord } of steps) {
    const name = event === undefined ? '' : `event: ${event}${newline}`
    const payload = data === '[DONE]' ? data : JSON.stringify(data)
    yield { text: `${name}data: ${payload}${newline}${newline}`, isWord: isWord ?? false }
  }
}

/** The generate-content stream without `alt=sse`: one JSON array, written element by element. */
export function* frameAsArray(steps: Iterable<StreamStep>): Iterable<Frame> {
  let separator = '['
  for (const { data, isWord } of steps) {
    yield { text: `${separator}${JSON.stringify(data)}`, isWord: isWord ?? false }
    separator = '\n,\n'
  }
  yield { text: ']\n', isWord: false }
}
