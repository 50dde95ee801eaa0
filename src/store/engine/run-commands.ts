import { DependencyUnavailable } from '../../core/fault.ts'
import { RefusedStoreError, TransientStoreError } from '../engine.ts'
import { errorCodes } from './error-codes.ts'
import type { StoreFailureKind, WorkerAnswer } from './worker-thread.ts'

/** The worker side of `WorkerThread`: answers messages, and reports for each failure whether a retry can help. */
export function runCommands<Command>(near: Worker, answer: (command: Command) => unknown): void {
  near.onmessage = async (event: MessageEvent<Command & { readonly id: number }>) => {
    const { id } = event.data
    let reply: WorkerAnswer
    try {
      reply = { id, value: await answer(event.data) }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      reply = { id, error: text, kind: kindOf(error), code: errorCodes(error)[0] }
    }
    near.postMessage(reply)
  }
}

function kindOf(error: unknown): StoreFailureKind {
  if (error instanceof TransientStoreError) return 'transient'
  if (error instanceof DependencyUnavailable) return 'out-of-reach'
  return error instanceof RefusedStoreError ? 'refused' : 'other'
}
