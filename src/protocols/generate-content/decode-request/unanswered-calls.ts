interface OpenCall {
  readonly id: string
  isAnswered: boolean
}

/** Calls in the order in which they were made. Answered calls at the front are skipped for good. */
interface CallQueue {
  readonly calls: OpenCall[]
  at: number
}

/** Matches results with calls: by id, else with the oldest unanswered call of the same name. */
export class UnansweredCalls {
  readonly #byId = new Map<string, CallQueue>()
  readonly #byName = new Map<string, CallQueue>()

  add(id: string, name: string): void {
    const call = { id, isAnswered: false }
    queueOf(this.#byId, id).calls.push(call)
    queueOf(this.#byName, name).calls.push(call)
  }

  /** The id of the call that this result answers; undefined when there is none. */
  answer(id: string | undefined, name: string): string | undefined {
    const call =
      firstOpen(id === undefined ? undefined : this.#byId.get(id)) ??
      firstOpen(this.#byName.get(name))
    if (!call) return undefined
    call.isAnswered = true
    return call.id
  }
}

function queueOf(queues: Map<string, CallQueue>, key: string): CallQueue {
  const known = queues.get(key)
  if (known) return known
  const queue = { calls: [], at: 0 }
  queues.set(key, queue)
  return queue
}

function firstOpen(queue: CallQueue | undefined): OpenCall | undefined {
  if (!queue) return undefined
  while (queue.calls[queue.at]?.isAnswered) queue.at += 1
  return queue.calls[queue.at]
}
