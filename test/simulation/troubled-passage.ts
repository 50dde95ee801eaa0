import { TransientStoreError } from '../../src/store/engine.ts'
import type { Passage } from '../support/ledger/memory-database.ts'
import type { Chance } from './chance.ts'
import type { VirtualTime } from './virtual-time.ts'

/** How badly the database is reached at the moment. */
export interface DatabaseWeather {
  isDown: boolean
  /** How often a call fails before it has done anything. */
  failing: number
  /** How often a call does its work, and the caller hears that it failed. */
  losing: number
  slowMs: number
}

export interface Life {
  isOver: boolean
}

/** The way of one process to the database. A call of one that dies meanwhile may arrive or not; nobody hears its answer. */
export function troubledPassage(
  { time, chance, weather }: { time: VirtualTime; chance: Chance; weather: DatabaseWeather },
  life: Life,
): Passage {
  return (work) =>
    new Promise((resolve, reject) => {
      if (life.isOver) return
      const fail = (why: string): void => {
        time.after(chance.whole(0, weather.slowMs), () => {
          if (!life.isOver) reject(new TransientStoreError(why))
        })
      }
      time.after(chance.whole(0, weather.slowMs), () => {
        if (life.isOver && chance.is(0.5)) return
        if (weather.isDown || chance.is(weather.failing)) return fail('the database is down')
        try {
          const result = work()
          if (weather.isDown || chance.is(weather.losing)) return fail('the connection was lost')
          time.after(chance.whole(0, weather.slowMs), () => {
            if (!life.isOver) resolve(result)
          })
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      })
    })
}
