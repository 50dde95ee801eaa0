import { type AlertSource, crossingsMax } from '../alert-source.ts'
import { sightingLastsMs } from '../sightings.ts'

/** A condition that any replica has seen recently. */
function sighted(kind: 'upstream_down' | 'credential_rejected'): AlertSource {
  return {
    kind,
    find: async (db, _alert, nowMs) => {
      const rows = await db
        .selectFrom('alert_sighting')
        .select(['subject', 'detail'])
        .where('kind', '=', kind)
        .where('at', '>', nowMs - sightingLastsMs)
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
export const upstreamDown = sighted('upstream_down')
/** An upstream answers 401 or 403 to a credential. */
export const credentialRejected = sighted('credential_rejected')
