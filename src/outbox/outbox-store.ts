import { type Selectable, sql } from 'kysely'
import { deliveryText } from '../core/delivery-problem.ts'
import { type Channel, channels } from '../core/message-state.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { OutboxTable } from '../store/tables/alert-tables.ts'
import { isObject, parseJson } from '../wire/json.ts'
import {
  type ClaimedMessage,
  type MessageContent,
  type NewMessage,
  outboxLimits,
} from './message.ts'

type Database = Engine['db']
export type OutboxRow = Selectable<OutboxTable>

/** The messages among which those to send next are chosen. */
const dueReadMax = 100

/** The content may contain a link that signs a person in, so it is encrypted. */
export const sealedFor = 'outbox'

export interface OutboxDeps {
  readonly vault: Vault
  readonly nowMs: number
}

/**
 * Puts a message into the outbox, in the transaction of the change that causes it. Returns false when the outbox is
 * full; the message is then dropped.
 */
export async function enqueue(
  { tx }: Pick<Writing, 'tx'>,
  { vault, nowMs }: OutboxDeps,
  message: NewMessage,
): Promise<boolean> {
  const row = {
    lane: message.channel === 'email' ? '' : `alert ${message.alertId ?? ''}`,
    purpose: message.purpose,
    account_id: message.accountId,
    alert_id: message.alertId,
    channel: message.channel,
    target: message.target,
    title: message.title ?? null,
  }
  if (await isFull(tx, row)) return false
  const sealed = vault.seal(JSON.stringify(message.content), sealedFor)
  await tx
    .insertInto('outbox')
    .values(waitingRow(row, sealed, nowMs))
    .execute()
  return true
}

type AddressedRow = Pick<
  OutboxRow,
  'lane' | 'purpose' | 'account_id' | 'alert_id' | 'channel' | 'target' | 'title'
>

/** A message before its first attempt. */
export function waitingRow(row: AddressedRow, sealed: string, nowMs: number) {
  return {
    ...row,
    payload_sealed: sealed,
    state: 'waiting',
    attempts: 0,
    next_at: nowMs,
    claimed_until: 0,
    created_at: nowMs,
  }
}

export async function isFull(
  db: Database,
  {
    lane,
    alert_id: alertId,
    account_id: accountId,
  }: Pick<OutboxRow, 'lane' | 'alert_id' | 'account_id'>,
): Promise<boolean> {
  const { waitingMax, alertsMax, accountMax, laneMax } = outboxLimits
  const waiting = db.selectFrom('outbox').select('seq').where('state', '=', 'waiting')
  // Each order is that of an index.
  const hasMany = async (rows: typeof waiting, countMax: number): Promise<boolean> => {
    const last = rows.offset(countMax - 1).limit(1)
    return (await last.executeTakeFirst()) !== undefined
  }
  const all = waiting.orderBy('next_at')
  if (await hasMany(all, alertId === null ? waitingMax : alertsMax)) return true
  const ofLane = waiting.where('lane', '=', lane).orderBy('seq')
  if (lane !== '' && (await hasMany(ofLane, laneMax))) return true
  if (alertId === null || accountId === null) return false
  const ofAccount = waiting.where('account_id', '=', accountId).where('alert_id', 'is not', null)
  return hasMany(ofAccount.orderBy('seq'), accountMax)
}

/** Records a message that was sent outside the outbox, such as a test. */
export async function noteSent(
  db: Database,
  message: Omit<NewMessage, 'content'>,
  { nowMs, error }: { readonly nowMs: number; readonly error: string | null },
): Promise<void> {
  await db
    .insertInto('outbox')
    .values({
      lane: '',
      purpose: message.purpose,
      account_id: message.accountId,
      alert_id: message.alertId,
      channel: message.channel,
      target: message.target,
      title: message.title ?? null,
      payload_sealed: null,
      state: error === null ? 'sent' : 'failed',
      attempts: 1,
      next_at: nowMs,
      claimed_until: 0,
      last_error: error,
      created_at: nowMs,
      ended_at: nowMs,
    })
    .execute()
}

export interface ClaimOptions {
  /** Only emails, or only webhooks. */
  readonly kind?: 'email' | 'webhook'
  readonly countMax?: number
  /** The accounts whose webhooks this process is sending, once for each. */
  readonly busy?: readonly (string | null)[]
}

/**
 * Takes messages that are due, so that no other replica sends them. A message of a webhook is due only when no older
 * one waits for the same webhook. An email has no order.
 */
export async function claimDue(
  { db }: Pick<Engine, 'db'>,
  { vault, nowMs }: OutboxDeps,
  options: ClaimOptions = {},
): Promise<ClaimedMessage[]> {
  const seqs = await findDue(db, nowMs, options)
  if (seqs.length === 0) return []
  const rows = await db
    .updateTable('outbox')
    .set({ claimed_until: nowMs + outboxLimits.claimMs, attempts: sql<number>`attempts + 1` })
    .where('seq', 'in', seqs)
    // Another replica may have changed the row since.
    .where('state', '=', 'waiting')
    .where(isTime(nowMs))
    .returningAll()
    .execute()
  const claimed: ClaimedMessage[] = []
  for (const row of rows.sort((left, right) => left.seq - right.seq)) {
    const content = readContent(row.payload_sealed, vault)
    if (content) claimed.push(claimedOf(row, content))
    else await giveUpUnreadable(db, row, nowMs)
  }
  return claimed
}

/** The content is deleted: otherwise it would be in the way of every rotation of the secret. */
async function giveUpUnreadable(db: Database, row: OutboxRow, nowMs: number): Promise<void> {
  const failure = { error: deliveryText('unreadable'), isPermanent: true, nowMs }
  if ((await markFailed({ db }, row, failure)) === 'failed')
    await db
      .updateTable('outbox')
      .set({ payload_sealed: null })
      .where('seq', '=', row.seq)
      .where('state', '=', 'failed')
      .execute()
}

/**
 * The first attempt is due at once: the clock of the process that stored the message may be ahead. A time that is
 * farther away than any pause or claim was written while the clock of the database was ahead, and does not count.
 */
function isTime(nowMs: number) {
  const { claimMs, pausesMs } = outboxLimits
  return sql<boolean>`(next_at NOT BETWEEN ${nowMs + 1} AND ${nowMs + Math.max(...pausesMs)} OR attempts = 0)
    AND claimed_until NOT BETWEEN ${nowMs + 1} AND ${nowMs + claimMs}`
}

async function findDue(
  db: Database,
  nowMs: number,
  { kind, countMax = outboxLimits.sendingMax, busy = [] }: ClaimOptions,
): Promise<number[]> {
  const { accountSendingMax } = outboxLimits
  const sending = new Map<string, number>()
  for (const id of busy) if (id !== null) sending.set(id, (sending.get(id) ?? 0) + 1)
  const full = [...sending].flatMap(([id, count]) => (count >= accountSendingMax ? [id] : []))
  let due = db
    .selectFrom('outbox as o')
    .select(['o.seq', 'o.lane', 'o.account_id'])
    .where('o.state', '=', 'waiting')
    .where(isTime(nowMs))
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('o.lane', '=', ''),
        not(
          exists(
            selectFrom('outbox as earlier')
              .select('earlier.seq')
              .where('earlier.state', '=', 'waiting')
              .whereRef('earlier.lane', '=', 'o.lane')
              .whereRef('earlier.seq', '<', 'o.seq'),
          ),
        ),
      ]),
    )
  if (kind) due = due.where('o.lane', kind === 'email' ? '=' : '!=', '')
  if (full.length > 0)
    due = due.where(({ or, eb }) =>
      or([eb('o.account_id', 'is', null), eb('o.account_id', 'not in', full)]),
    )
  const rows = await due.orderBy('o.next_at').orderBy('o.seq').limit(dueReadMax).execute()
  const chosen = rows.filter(({ lane, account_id: id }) => {
    if (lane === '' || id === null) return true
    const count = (sending.get(id) ?? 0) + 1
    sending.set(id, count)
    return count <= accountSendingMax
  })
  return chosen.slice(0, countMax).map(({ seq }) => seq)
}

function claimedOf(row: OutboxRow, content: MessageContent): ClaimedMessage {
  return {
    seq: row.seq,
    deliveryId: String(row.first_seq ?? row.seq),
    purpose: row.purpose,
    accountId: row.account_id,
    alertId: row.alert_id,
    channel: readChannel(row.channel),
    target: row.target,
    content,
    attempts: row.attempts,
    createdAtMs: row.created_at,
  }
}

export function readChannel(text: string): Channel {
  return channels.find((each) => each === text) ?? 'email'
}

/** Undefined for a text that the vault cannot open: it must not hold up the messages beside it. */
function readContent(sealed: string | null, vault: Vault): MessageContent | undefined {
  let value: unknown
  try {
    value = sealed === null ? undefined : parseJson(vault.open(sealed, sealedFor))
  } catch {
    return undefined
  }
  if (isObject(value) && typeof value['body'] === 'string') return { body: value['body'] }
  const mail = isObject(value) && isObject(value['mail']) ? value['mail'] : {}
  const text = (name: string) => (typeof mail[name] === 'string' ? mail[name] : '')
  return { mail: { subject: text('subject'), text: text('text'), html: text('html') } }
}

export async function markSent({ db }: Pick<Engine, 'db'>, seq: number, nowMs: number) {
  await db
    .updateTable('outbox')
    .set({ state: 'sent', payload_sealed: null, last_error: null, ended_at: nowMs })
    .where('seq', '=', seq)
    .execute()
}

/**
 * Plans the next attempt, or gives the message up. The content of an alert is kept, so that the message can be sent
 * again; other messages may contain a link that signs a person in. Undefined if another replica has taken the message meanwhile, or the
 * message has ended: this attempt then says nothing about it.
 */
export async function markFailed(
  { db }: Pick<Engine, 'db'>,
  { seq, attempts }: Pick<ClaimedMessage, 'seq' | 'attempts'>,
  failure: { readonly error: string; readonly isPermanent: boolean; readonly nowMs: number },
): Promise<'retried' | 'failed' | undefined> {
  const { error, isPermanent, nowMs } = failure
  const pauseMs = outboxLimits.pausesMs[attempts - 1]
  const isGivenUp = isPermanent || pauseMs === undefined
  const ending = isGivenUp
    ? { state: 'failed', payload_sealed: contentOfAlert, ended_at: nowMs, claimed_until: 0 }
    : { next_at: nowMs + pauseMs, claimed_until: 0 }
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({ ...ending, last_error: error })
    .where('seq', '=', seq)
    .where('state', '=', 'waiting')
    .where('attempts', '=', attempts)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  return isGivenUp ? 'failed' : 'retried'
}

const contentOfAlert = sql<
  string | null
>`CASE WHEN alert_id IS NULL THEN NULL ELSE payload_sealed END`

/**
 * Gives up the messages that wait for an alert that is deleted or disabled. Those of a disabled alert can be sent again
 * when the alert is enabled.
 */
export async function dropOfAlert(
  { tx }: Pick<Writing, 'tx'>,
  alertId: string,
  why: 'alert_deleted' | 'alert_disabled',
  nowMs: number,
): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ state: 'failed', ended_at: nowMs, last_error: deliveryText(why) })
    .where('alert_id', '=', alertId)
    .where('state', '=', 'waiting')
    .execute()
  if (why === 'alert_disabled') return
  await tx
    .updateTable('outbox')
    .set({ payload_sealed: null })
    .where('alert_id', '=', alertId)
    .where('payload_sealed', 'is not', null)
    .execute()
}

export interface MessageQuery {
  /** Undefined means all messages; otherwise those of these accounts. */
  readonly accountIds: readonly string[] | undefined
  readonly state?: string | undefined
  /** Messages older than this one. */
  readonly before?: number | undefined
  readonly rowsMax: number
}

export interface ListedMessage extends OutboxRow {
  /** Null for a message of no alert, or of one that was deleted. */
  readonly alert_name: string | null
}

/** Newest first. The id of a deleted alert may name an alert of another account now. */
export async function listMessages(
  db: Database,
  { accountIds, state, before, rowsMax }: MessageQuery,
): Promise<ListedMessage[]> {
  if (accountIds?.length === 0) return []
  let rows = db
    .selectFrom('outbox as o')
    .leftJoin('alert as a', (join) =>
      join
        .onRef('a.id', '=', 'o.alert_id')
        .on(sql<boolean>`COALESCE(a.account_id, '') = COALESCE(o.account_id, '')`),
    )
    .selectAll('o')
    .select('a.name as alert_name')
  if (accountIds) rows = rows.where('o.account_id', 'in', accountIds)
  if (state !== undefined) rows = rows.where('o.state', '=', state)
  if (before !== undefined) rows = rows.where('o.seq', '<', before)
  return rows.orderBy('o.seq', 'desc').limit(rowsMax).execute()
}

export async function countWaiting({ db }: Pick<Engine, 'db'>): Promise<number> {
  const row = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Deletes old messages, a bounded number at a time; returns how many. */
export async function sweepOutbox(
  { db }: Pick<Engine, 'db'>,
  nowMs: number,
  rowsMax: number = outboxLimits.sweepRows,
): Promise<number> {
  const old = db
    .selectFrom('outbox')
    .select('seq')
    .where('ended_at', '<=', nowMs - outboxLimits.keptMs)
    .orderBy('ended_at')
    .limit(rowsMax)
  const result = await db.deleteFrom('outbox').where('seq', 'in', old).executeTakeFirst()
  return Number(result.numDeletedRows)
}
