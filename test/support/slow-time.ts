import { leaseTimes } from '../../src/ledger/leases/lease-times.ts'
import { writeTurns } from '../../src/store/changes/in-turn.ts'
import { postgresLimits } from '../../src/store/postgres/limits.ts'

/*
 * Loaded by a tested gateway on a slow or busy machine (tested-gateway.ts). It multiplies the waits for money and
 * for the database by the slowness, so that the processes and not the speed of the machine decide a race.
 */
const slowness = Number(process.env['TEST_SLOW_TIME'] ?? 1)
const waits = [
  'recallMs',
  'inFlightMs',
  'inFlightMostMs',
  'waitMsMax',
  'coverMs',
  'shippedMs',
] as const

for (const name of waits) leaseTimes[name] *= slowness
writeTurns.waitMs *= slowness
for (const pool of Object.values(postgresLimits)) {
  const { acquireMs, statementMs } = pool
  Object.assign(pool, { acquireMs: acquireMs * slowness, statementMs: statementMs * slowness })
}
