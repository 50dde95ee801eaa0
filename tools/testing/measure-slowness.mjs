import { createHash } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'

/** What the work below takes on one idle core of the machine that the limits were written for. */
const referenceMs = 25
const megabytes = 24
/** Loads come and go while a part runs: limits are for the worst of them. */
const margin = 2
const slownessMost = 60

const block = Buffer.alloc(1024 * 1024, 'tollgate')

/**
 * How many times slower than the reference this machine is now: by the time that a fixed piece of work takes, and by
 * how many programs wait for a core. Limits of tests are multiplied by it, so a slow or busy machine is slow, not red.
 * @returns {number} 1 or more
 */
export function measureSlowness() {
  const startedMs = performance.now()
  const hash = createHash('sha256')
  for (let each = 0; each < megabytes; each += 1) hash.update(block)
  hash.digest()
  const elapsedMs = performance.now() - startedMs
  const waiting = (loadavg()[0] ?? 0) / availableParallelism()
  const measured = Math.max(elapsedMs / referenceMs, waiting, 1)
  return Math.min(measured * margin, slownessMost)
}
