import type { Engine } from '../store/engine.ts'
import { type Crossing, nameOf, storedKinds } from './alert-source.ts'
import { alertSources } from './alert-sources.ts'
import type { StoredAlert } from './alert-store.ts'
import type { AlertKind } from './definition/alert.ts'

/** A condition that holds now and was reported. */
export interface ActiveCondition {
  readonly kind: AlertKind
  /** Unique among the conditions of an alert. */
  readonly name: string
  readonly crossing: Crossing
  /** When it was reported. */
  readonly sinceMs: number
}

/**
 * The conditions that an alert has reported and that are not over, newest first, with the amounts of now. What ended
 * since the last evaluation is not among them.
 */
export async function readConditions(
  db: Engine['db'],
  alert: StoredAlert,
  nowMs: number,
): Promise<readonly ActiveCondition[]> {
  const rows = await db
    .selectFrom('alert_crossing')
    .select(['kind', 'subject', 'since'])
    .where('alert_id', '=', alert.id)
    .execute()
  const active: ActiveCondition[] = []
  for (const source of alertSources) {
    const kinds = storedKinds(source)
    const sinceMs = new Map(
      rows.filter((row) => kinds.includes(row.kind)).map(({ subject, since }) => [subject, since]),
    )
    const isWanted = alert.isEnabled && alert.kinds.includes(source.kind) && sinceMs.size > 0
    for (const crossing of isWanted ? await source.find(db, alert, nowMs, ignore) : []) {
      const name = nameOf(crossing)
      const since = sinceMs.get(name)
      if (since !== undefined) active.push({ kind: source.kind, name, crossing, sinceMs: since })
    }
  }
  return active.sort(inOrder)
}

/** The evaluation has logged the row that cannot be read. */
function ignore(): void {}

function inOrder(left: ActiveCondition, right: ActiveCondition): number {
  if (left.sinceMs !== right.sinceMs) return right.sinceMs - left.sinceMs
  return placeOf(left) < placeOf(right) ? -1 : 1
}

/** Sorts the conditions of one moment. */
export function placeOf({ kind, name }: Pick<ActiveCondition, 'kind' | 'name'>): string {
  return `${kind} ${name}`
}

/** Whether a condition comes after this place in the list. */
export function isAfter(
  condition: ActiveCondition,
  [sinceMs, place]: readonly [sinceMs: number, place: string],
): boolean {
  if (condition.sinceMs !== sinceMs) return condition.sinceMs < sinceMs
  return placeOf(condition) > place
}
