import { sql } from 'kysely'
import { parseJson } from '../../../wire/json.ts'
import type { AuditAnswer } from '../../contract.ts'
import { jsonOf } from '../../json-members.ts'
import { pageOf, readParameter } from '../../pages.ts'
import { wrongField } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'

const pageRows = 50

/** Who changed what, newest first. */
export async function readAuditLog({
  parts,
  query,
}: SignedInCall): Promise<JsonAnswer<AuditAnswer>> {
  let rows = parts.engine.db
    .selectFrom('audit as a')
    .leftJoin('console_user as u', 'u.id', 'a.actor')
    .selectAll('a')
    .select('u.email')
  const before = numberOf(query, 'before')
  if (before !== undefined) rows = rows.where('a.seq', '<', before)
  const actor = readParameter(query, 'actor')
  if (actor !== undefined) rows = rows.where('a.actor', '=', actor)
  const subject = readParameter(query, 'subject')
  if (subject !== undefined) rows = rows.where('a.subject', '=', subject)
  const action = readParameter(query, 'action')
  if (action !== undefined) {
    const start = `${action.replace(/[!%_]/g, '!$&')}%`
    rows = rows.where(sql<boolean>`a.action LIKE ${start} ESCAPE '!'`)
  }
  const from = numberOf(query, 'from')
  if (from !== undefined) rows = rows.where('a.at', '>=', from)
  const to = numberOf(query, 'to')
  if (to !== undefined) rows = rows.where('a.at', '<', to)
  const found = await rows
    .orderBy('a.seq', 'desc')
    .limit(pageRows + 1)
    .execute()
  const page = pageOf(found, pageRows, (row) => String(row.seq))
  return {
    body: {
      rows: page.rows.map((row) => ({
        seq: row.seq,
        at: row.at,
        actor: row.actor,
        actorName: row.email,
        action: row.action,
        subject: row.subject,
        before: row.before === null ? null : jsonOf(parseJson(row.before)),
        after: row.after === null ? null : jsonOf(parseJson(row.after)),
      })),
      next: page.next,
    },
  }
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = readParameter(query, name)
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw wrongField(name, 'must be a whole number')
  return Number(text)
}
