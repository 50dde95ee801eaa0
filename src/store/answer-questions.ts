import { TransientStoreError } from './engine.ts'
import type { WorkerAnswer } from './worker-thread.ts'

/** The far side of `WorkerThread`: answers what is asked, and says of a failure whether asking again can cure it. */
export function answerQuestions<Question>(
  near: Worker,
  answer: (question: Question) => unknown,
): void {
  near.onmessage = async (event: MessageEvent<Question & { readonly id: number }>) => {
    const { id } = event.data
    let reply: WorkerAnswer
    try {
      reply = { id, value: await answer(event.data) }
    } catch (error) {
      const isTransient = error instanceof TransientStoreError
      reply = { id, error: error instanceof Error ? error.message : String(error), isTransient }
    }
    near.postMessage(reply)
  }
}
