import { setTimeout } from 'node:timers/promises'
import type { StreamStep } from './demo-protocol.ts'

/** A piece of a response body; `isWord` as in the step it came from. */
export interface Frame {
  readonly text: string
  readonly isWord?: boolean | undefined
}

/** May reject when the signal aborts. */
export type Sleep = (durationMs: number, signal: AbortSignal) => Promise<void>

export interface Pace {
  readonly wordDelayMs: number
  readonly sleep: Sleep
}

export const systemSleep: Sleep = (durationMs, signal) =>
  setTimeout(durationMs, undefined, { signal })

export function* frameAsSse(steps: Iterable<StreamStep>, newline: '\n' | '\r\n'): Iterable<Frame> {
  for (const { event, data, isWord } of steps) {
    const name = event === undefined ? '' : `event: ${event}${newline}`
    const payload = data === '[DONE]' ? data : JSON.stringify(data)
    yield { text: `${name}data: ${payload}${newline}${newline}`, isWord }
  }
}

/** The generate-content stream without `alt=sse`: one JSON array, written element by element. */
export function* frameAsArray(steps: Iterable<StreamStep>): Iterable<Frame> {
  let separator = '['
  for (const { data, isWord } of steps) {
    yield { text: `${separator}${JSON.stringify(data)}`, isWord }
    separator = '\n,\n'
  }
  yield { text: ']\n' }
}

/** A body that is produced only as fast as the client reads, and that stops when the client stops reading. */
export function paceFrames(
  frames: Iterable<Frame>,
  { wordDelayMs, sleep }: Pace,
  requestSignal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const cancelled = new AbortController()
  const signal = AbortSignal.any([requestSignal, cancelled.signal])
  const iterator = frames[Symbol.iterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = iterator.next()
        if (next.done === true) return controller.close()
        const { text, isWord } = next.value
        if (isWord && wordDelayMs > 0) await sleep(wordDelayMs, signal).catch(() => undefined)
        if (cancelled.signal.aborted) return
        if (signal.aborted) return controller.error(signal.reason)
        controller.enqueue(encoder.encode(text))
      },
      cancel: () => cancelled.abort(),
    },
    { highWaterMark: 0 },
  )
}
