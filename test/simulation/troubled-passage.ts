import { TransientStoreError } from '../../src/store/engine.ts'
import type { Passage } from '../support/ledger/memory-database.ts'
import type { Chance } from './chance.ts'
import type { Life } from './life.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The current faults of the connection to the database. */
export interface DatabaseWeather {
  isDown: boolean
  /** The database answers every change with this error. */
  refusal: string | undefined
  /** The share of calls that fail without an effect. */
  failing: number
  /** The share of calls that take effect, although the caller gets an error. */
  losing: number
  /** The share of failed calls that take effect later. */
  late: number
  slowMs: number
}

export const fairWeather: DatabaseWeather = {
  isDown: false,
  refusal: undefined,
  failing: 0,
  losing: 0,
  late: 0,
  slowMs: 4,
}

const latestMs = 3_000

/**
 * The connection of one process to the database. A call of a dying process may arrive or not; nobody receives its
 * answer.
 */
export function troubledPassage(
  { time, chance, weather }: { time: VirtualTime; chance: Chance; weather: DatabaseWeather },
  life: Life,
): Passage {
  const isAway = (): boolean => weather.isDown || life.isCutOff
  return async (work) => {
    await life.awake()
    return new Promise((resolve, reject) => {
      if (life.isOver) return
      const answer = (tell: () => void): void => {
        time.after(chance.whole(0, weather.slowMs), () => {
          void life.awake().then(() => {
            if (!life.isOver) tell()
          })
        })
      }
      const fail = (why: string): void => answer(() => reject(new TransientStoreError(why)))
      time.after(chance.whole(0, weather.slowMs), () => {
        if (life.isOver && chance.is(0.5)) return
        if (chance.is(weather.late)) {
          fail('nobody knows what has become of it')
          time.after(chance.whole(0, latestMs), () => void attempt(work))
          return
        }
        if (isAway() || chance.is(weather.failing)) return fail('the database is down')
        const { refusal } = weather
        if (refusal !== undefined) return answer(() => reject(new Error(refusal)))
        const done = attempt(work)
        if ('error' in done) return answer(() => reject(done.error))
        if (isAway() || chance.is(weather.losing)) return fail('the connection was lost')
        answer(() => resolve(done.value))
      })
    })
  }
}

function attempt<T>(work: () => T): { readonly value: T } | { readonly error: Error } {
  try {
    return { value: work() }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}
