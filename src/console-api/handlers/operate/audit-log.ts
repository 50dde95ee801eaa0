import { sql } from 'kysely'
import { namesOfTokens } from '../../../admin-tokens/token-store.ts'
import { actorOfToken, tokenOfActor } from '../../../admin-tokens/token-value.ts'
import type { Engine } from '../../../store/engine.ts'
import { prefixLikePattern } from '../../../store/rows/like-pattern.ts'
import { parseJson } from '../../../wire/json.ts'
import { pageRows } from '../../contract/paging.ts'
import type { AuditAnswer } from '../../contract.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { jsonOf } from '../../rows/json-members.ts'
import { pageOf } from '../../rows/pages.ts'
import { subjectNames } from './subject-names.ts'

type AuditQuery = CallOf<'GET /operate/audit'>['query']

/** Limit of rows that are read for one page, for a rare action. */
const rowsSearchedMax = 20_000
/** Assumed maximum difference between clocks of processes. */
const clockSkewMs = 3_600_000

/** The audit log, newest first. */
export async function readAuditLog({
  deps,
  query,
}: CallOf<'GET /operate/audit'>): Promise<JsonAnswer<AuditAnswer>> {
  return { body: await findAuditRows(deps.engine, query, query.limit ?? pageRows.audit) }
}

/** A page of the log. It may be short or empty and still have a next page. */
export async function findAuditRows(
  engine: Engine,
  filters: Omit<AuditQuery, 'limit'>,
  rowsMax: number,
): Promise<AuditAnswer> {
  const range = await rangeOf(engine, filters)
  const found = await engine.db
    .selectFrom(range.limit(rowsSearchedMax).as('a'))
    .leftJoin('console_user as u', 'u.id', 'a.actor')
    .selectAll('a')
    .select(({ fn }) => fn.coalesce('u.invited_email', 'u.email').as('email'))
    .where(conditionOf(filters))
    .orderBy('a.seq', 'desc')
    .limit(rowsMax + 1)
    .execute()
  const page = pageOf(found, rowsMax, (row) => String(row.seq))
  const tokens = await tokensAmong(engine, page.rows)
  const rows = page.rows.map((row) => ({
    seq: row.seq,
    at: row.at,
    actor: row.actor,
    actorName: row.email ?? tokens.get(row.actor) ?? null,
    action: row.action,
    subject: row.subject,
    before: row.before === null ? null : jsonOf(parseJson(row.before)),
    after: row.after === null ? null : jsonOf(parseJson(row.after)),
  }))
  const names = await subjectNames(engine, rows)
  return {
    rows: rows.map((row, index) => ({ ...row, subjectName: names[index] ?? null })),
    next: page.next ?? (await endOf(range)),
  }
}

/** Names of tokens, by actor. */
async function tokensAmong(
  { db }: Engine,
  rows: readonly { readonly actor: string }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(rows.flatMap(({ actor }) => tokenOfActor(actor) ?? []))
  const names = await namesOfTokens(db, [...ids])
  return new Map([...names].map(([id, name]) => [actorOfToken(id), name]))
}

/** The part of the filter that an index serves; the rest is checked row by row. */
async function rangeOf(engine: Engine, { before, actor, subject, from, to }: AuditQuery) {
  let range = engine.db.selectFrom('audit').selectAll().orderBy('seq', 'desc')
  if (before !== undefined) range = range.where('seq', '<', before)
  if (actor !== undefined) range = range.where('actor', '=', actor)
  if (subject !== undefined) range = range.where('subject', '=', subject)
  const older = from === undefined ? undefined : await seqNear(engine, from - clockSkewMs, 'before')
  if (older !== undefined) range = range.where('seq', '>', older)
  const newer = to === undefined ? undefined : await seqNear(engine, to + clockSkewMs, 'from')
  if (newer !== undefined) range = range.where('seq', '<', newer)
  return range
}

/** The number of the last row before a time, or of the first row after it. */
async function seqNear(
  { db }: Engine,
  ms: number,
  side: 'before' | 'from',
): Promise<number | undefined> {
  const direction = side === 'before' ? 'desc' : 'asc'
  const row = await db
    .selectFrom('audit')
    .select('seq')
    .where('at', side === 'before' ? '<' : '>=', ms)
    .orderBy('at', direction)
    .orderBy('seq', direction)
    .limit(1)
    .executeTakeFirst()
  return row?.seq
}

function conditionOf({ action, from, to }: AuditQuery) {
  const conditions = [sql`1 = 1`]
  if (action !== undefined) {
    conditions.push(sql`a.action LIKE ${prefixLikePattern(action)} ESCAPE '!'`)
  }
  if (from !== undefined) conditions.push(sql`a.at >= ${from}`)
  if (to !== undefined) conditions.push(sql`a.at < ${to}`)
  return sql<boolean>`${sql.join(conditions, sql` AND `)}`
}

/** Where the search stopped; null at the start of the log. */
async function endOf(range: Awaited<ReturnType<typeof rangeOf>>): Promise<string | null> {
  const last = await range
    .offset(rowsSearchedMax - 1)
    .limit(1)
    .executeTakeFirst()
  return last ? String(last.seq) : null
}
