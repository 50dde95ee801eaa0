import type { Engine } from '../../../src/store/engine.ts'

/** The engine of a process that may have lost the database, while other processes have not. */
export function losableEngine(engine: Engine, isLost: () => boolean): Engine {
  const findDb = () => {
    if (isLost()) throw new Error('the database is lost')
    return engine.db
  }
  return Object.create(engine, { db: { get: findDb } })
}
