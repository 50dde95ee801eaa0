import { createHash } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'

/** Duration of the work below on one idle core of the machine for which the limits were chosen. */
const referenceMs = 25
const megabytes = 24
/** The load varies while a part runs, and the limits must cover the worst load. */
const margin = 2
const slownessMost = 60

const block = Buffer.alloc(1024 * 1024, 'tollgate')

/**
 * How many times slower than the reference this machine is now: by the time of a fixed piece of work, and by the number
 * of programs that wait for a core. The limits of tests are multiplied by this factor, so that tests do not fail on a
 * slow or busy machine.
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
