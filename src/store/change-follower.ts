import { type Change, changesAfter } from './changes.ts'
import type { Engine } from './engine.ts'

/** Notification makes it quick; polling makes it certain, and is all that another process on SQLite has. */
const pollEveryMs = 400

export interface ChangeFollower {
  /** Looks now; resolves when everything announced so far has been applied. */
  catchUp(): Promise<void>
  stop(): Promise<void>
}

/**
 * Calls `apply` with every change that any process announces after number `fromSeq`, in order, one batch at a time.
 * The number is taken before what is followed is read: a change in between would otherwise never be seen.
 */
export function followChanges(
  engine: Engine,
  fromSeq: number,
  apply: (changes: readonly Change[]) => Promise<void>,
  onError: (error: unknown) => void,
): ChangeFollower {
  let seq = fromSeq
  let running: Promise<void> | undefined
  let isLooking = false
  let isAskedAgain = false
  let isStopped = false

  const look = async (): Promise<void> => {
    isLooking = true
    try {
      do {
        isAskedAgain = false
        const changes = await changesAfter(engine.db, seq)
        const last = changes.at(-1)
        if (last === undefined) continue
        await apply(changes)
        seq = last.seq
        isAskedAgain = true
      } while (isAskedAgain && !isStopped)
    } finally {
      // In the same turn as the decision to stop looking: whoever asks after it starts a new look.
      isLooking = false
    }
  }
  const catchUp = (): Promise<void> => {
    isAskedAgain = true
    if (!running || !isLooking) running = look()
    return running
  }
  const poke = (): void => {
    if (isStopped) return
    // A look that takes long fails once, and is told once.
    if (isLooking) isAskedAgain = true
    else catchUp().catch(onError)
  }

  // Nobody waits for it: until notifications come, polling finds what there is.
  engine.onNotify(poke).catch(onError)
  const timer = setInterval(poke, pollEveryMs)
  return {
    catchUp,
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await running?.catch(() => undefined)
    },
  }
}
