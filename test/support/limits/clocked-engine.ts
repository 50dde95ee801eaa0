import type { Engine } from '../../../src/store/engine.ts'

/** The engine with another clock of the database. */
export function clockedEngine(engine: Engine, nowMs: () => number): Engine {
  return Object.create(engine, { clockSql: { get: () => String(nowMs()) } })
}
