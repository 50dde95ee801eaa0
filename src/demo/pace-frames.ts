import type { Frame } from './frame-steps.ts'

export type Sleep = (durationMs: number, signal?: AbortSignal) => Promise<void>

export interface Pace {
  readonly wordDelayMs: number
  readonly sleep: Sleep
}

/** A body that is produced only as fast as the client reads, and that stops when the client stops reading. */
export function paceFrames(
  frames: Iterable<Frame>,
  pace: Pace,
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
        if (next.value.isWord && pace.wordDelayMs > 0) await pause(pace, signal)
        if (cancelled.signal.aborted) return
        if (signal.aborted) return controller.error(signal.reason)
        controller.enqueue(encoder.encode(next.value.text))
      },
      cancel() {
        cancelled.abort()
      },
    },
    { highWaterMark: 0 },
  )
}

async function pause(pace: Pace, signal: AbortSignal): Promise<void> {
  try {
    await pace.sleep(pace.wordDelayMs, signal)
  } catch (error) {
    // A sleep may reject when it is aborted; the caller checks the signal itself.
    if (!signal.aborted) throw error
  }
}
