import type { Engine, Unit } from '../../store/engine.ts'
import { auditName } from './audit-state.ts'
import { endOfPage } from './entry-pages.ts'

const moveOn = 'UPDATE audit_state SET through = ? WHERE name = ? AND through = ?'
const addPage = `INSERT INTO audit_point (key_id, cost_nano, entries)
  SELECT key_id, SUM(cost_nano), COUNT(*) FROM entry
  WHERE request_id > ? AND request_id <= ? GROUP BY key_id
  ON CONFLICT (key_id) DO UPDATE SET
    cost_nano = audit_point.cost_nano + excluded.cost_nano,
    entries = audit_point.entries + excluded.entries`

/** A page is counted only once: a second process finds that `through` has moved. */
function countUnit(fromId: string, toId: string): Unit {
  return {
    statements: [
      { sql: moveOn, values: [toId, auditName, fromId] },
      { sql: addPage, values: [fromId, toId], when: [[0, 'changed']] },
    ],
  }
}

/**
 * Adds entries up to `throughId` to the audit points, so that each entry is read only once. Returns the last id
 * counted. The number of pages is bounded, so a large database takes several turns.
 */
export async function countEntries(
  engine: Engine,
  fromId: string,
  throughId: string,
  bounds: { readonly pageRows: number; readonly pagesMax: number },
): Promise<string> {
  let atId = fromId
  for (let page = 0; page < bounds.pagesMax && atId < throughId; page += 1) {
    const toId = await endOfPage(engine, atId, throughId, bounds.pageRows)
    const [result] = await engine.runUnits([countUnit(atId, toId)])
    if ((result?.[0]?.changes ?? 0) === 0) return atId
    atId = toId
  }
  return atId
}
