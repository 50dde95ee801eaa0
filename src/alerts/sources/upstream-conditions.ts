import { type AlertSource, crossingsMax } from '../alert-source.ts'
import { localConditionLastsMs } from '../local-conditions.ts'

/** A condition that any replica has seen recently. */
function reportedByReplicas(kind: 'upstream_down' | 'credential_rejected'): AlertSource {
  return {
    kind,
    find: async (db, _alert, nowMs) => {
      const rows = await db
        .selectFrom('alert_sighting')
        .select(['subject', 'detail'])
        .where('kind', '=', kind)
        .where('at', '>', nowMs - localConditionLastsMs)
        .orderBy('subject')
        .limit(crossingsMax)
        .execute()
      const bySubject = new Map(rows.map((row) => [row.subject, row.detail]))
      return [...bySubject].map(([subject, detail]) => ({
        subject,
        accountId: null,
        values: { detail },
      }))
    },
  }
}

/** All models that an upstream serves fail at some replica. */
export const upstreamDown = reportedByReplicas('upstream_down')
/** An upstream answers 401 or 403 to a credential. */
export const credentialRejected = reportedByReplicas('credential_rejected')
