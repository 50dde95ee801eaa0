import { leaseTimes } from '../../src/ledger/leases/lease-times.ts'
import { postgresLimits } from '../../src/store/postgres/limits.ts'

/*
 * Preloaded into a gateway that runs from its sources on a slow or busy machine: it waits as many times longer for money
 * and for its database as its work is slower, so that a race is decided by what the processes do, and not by how long
 * the machine lets them wait for it.
 */
const slowness = Number(process.env['TEST_SLOWNESS'] ?? 1)
const waits = [
  'recallMs',
  'inFlightMs',
  'inFlightMostMs',
  'waitMsMax',
  'coverMs',
  'shippedMs',
] as const

for (const name of waits) leaseTimes[name] *= slowness
for (const pool of Object.values(postgresLimits)) {
  const { acquireMs, statementMs } = pool
  Object.assign(pool, { acquireMs: acquireMs * slowness, statementMs: statementMs * slowness })
}
