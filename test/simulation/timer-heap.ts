export interface VirtualTimer {
  readonly id: number
  readonly atMs: number
  readonly everyMs: number | undefined
  readonly work: () => void
  readonly owner: object | undefined
  /** Cleared: the timer never fires. */
  isOver: boolean
}

/** Timers in the order in which they fire; of several at one moment, the one that was started first. */
export class TimerHeap {
  readonly #heap: VirtualTimer[] = []

  add(timer: VirtualTimer): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(timer)
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above]
      if (!parent || !isBefore(timer, parent)) break
      heap[at] = parent
      at = above
    }
    heap[at] = timer
  }

  first(): VirtualTimer | undefined {
    while (this.#heap[0]?.isOver === true) this.removeFirst()
    return this.#heap[0]
  }

  removeFirst(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (!last || heap.length === 0) return
    let at = 0
    for (;;) {
      const child = this.#firstChild(at)
      const timer = heap[child]
      if (!timer || !isBefore(timer, last)) break
      heap[at] = timer
      at = child
    }
    heap[at] = last
  }

  #firstChild(at: number): number {
    const left = this.#heap[at * 2 + 1]
    const right = this.#heap[at * 2 + 2]
    return left && right && isBefore(right, left) ? at * 2 + 2 : at * 2 + 1
  }
}

function isBefore(left: VirtualTimer, right: VirtualTimer): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.id < right.id)
}
