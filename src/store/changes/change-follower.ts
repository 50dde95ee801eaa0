import type { Engine } from '../engine.ts'
import { type Change, changesAfter } from './changes.ts'

/** Notifications make following fast; polling makes it reliable, and is the only way for other processes on SQLite. */
const pollEveryMs = 400

export interface ChangeFollower {
  /** Reads the changes now; resolves when everything announced so far is applied. */
  catchUp(): Promise<void>
  stop(): Promise<void>
}

/**
 * Calls `apply` with every change that any process announces after number `fromSeq`, in order, one batch at a time.
 * Read the number before the data that is followed; otherwise a change in between would never be seen.
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
      // Set in the same turn as the decision to stop reading, so that a later call starts a new read.
      isLooking = false
    }
  }
  const catchUp = (): Promise<void> => {
    isAskedAgain = true
    if (!running || !isLooking) running = look()
    return running
  }
  const checkNow = (): void => {
    if (isStopped) return
    // A slow read fails once and is reported once.
    if (isLooking) isAskedAgain = true
    else catchUp().catch(onError)
  }

  // Not awaited: until notifications arrive, polling finds the changes.
  engine.onNotify(checkNow).catch(onError)
  const timer = setInterval(checkNow, pollEveryMs)
  return {
    catchUp,
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await running?.catch(() => undefined)
    },
  }
}
