import { type Clock, systemClock } from '../../core/time/clock.ts'
import { guardClock } from '../../core/time/guarded-clock.ts'
import { newestTime } from '../../ledger/newest-time.ts'
import type { Engine } from '../../store/engine.ts'
import { readDatabaseMs } from '../../store/rows/database-now.ts'
import type { Log } from '../../telemetry/log.ts'

/** A clock that is this much ahead dates usage in the wrong hours. */
const aheadMsMax = 60_000

/** The clock of a gateway, which never goes back. A difference from the clock of the database is logged. */
export async function openClock(engine: Engine, log: Log): Promise<Clock> {
  const startMs = systemClock.nowMs()
  const aheadMs = startMs - (await readDatabaseMs(engine))
  if (aheadMs > aheadMsMax)
    log.warn('clock_ahead', {
      seconds: Math.round(aheadMs / 1_000),
      why: 'the clock of this machine is ahead of the clock of the database, so the usage log has wrong times; correct it and restart the gateway',
    })
  return guardClock(systemClock, await newestTime(engine), (behindMs) =>
    log.warn('clock_behind', {
      seconds: Math.round(behindMs / 1_000),
      why: 'the clock of this machine was set back, or is behind the clock of the database; correct it',
    }),
  )
}
