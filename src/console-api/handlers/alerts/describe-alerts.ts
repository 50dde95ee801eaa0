import { countedKinds } from '../../../alerts/alert-sources.ts'
import type { StoredAlert } from '../../../alerts/alert-store.ts'
import { alertDefinition } from '../../../alerts/definition/alert.ts'
import { toWire, without } from '../../../fields/definition.ts'
import type { Engine } from '../../../store/engine.ts'
import type { AlertRow } from '../../contract.ts'

const shown = without(alertDefinition, ['url', 'secret'])

/** Alerts with the number of conditions that hold now. */
export async function describeAlerts(
  db: Engine['db'],
  alerts: readonly StoredAlert[],
): Promise<AlertRow[]> {
  const ids = alerts.map(({ id }) => id)
  const counts =
    ids.length === 0
      ? []
      : await db
          .selectFrom('alert_crossing')
          .select('alert_id')
          .select(({ fn }) => fn.countAll().as('count'))
          .where('alert_id', 'in', ids)
          // Some conditions have a second row, or rows of a former version; see `AlertSource`.
          .where('kind', 'in', countedKinds)
          .groupBy('alert_id')
          .execute()
  const byId = new Map(counts.map((row) => [row.alert_id, Number(row.count)]))
  return alerts.map((alert) => ({
    id: alert.id,
    ...toWire(shown, alert),
    urlHost: alert.urlHost,
    crossings: byId.get(alert.id) ?? 0,
    createdAt: alert.createdAtMs,
  }))
}
