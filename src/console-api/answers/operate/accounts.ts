import { sql } from 'kysely'
import { addAccount, changeAccount } from '../../../accounts/account-store.ts'
import { accountDefinition } from '../../../accounts/definition/account.ts'
import { keptSettings } from '../../../accounts/kept-settings.ts'
import { listMembers } from '../../../accounts/member-store.ts'
import { newId } from '../../../core/id.ts'
import { toWire } from '../../../fields/definition.ts'
import { listStops, releaseStop } from '../../../ledger/audit-stops.ts'
import { grantCredit } from '../../../ledger/credits.ts'
import type { Engine } from '../../../store/engine.ts'
import { valuesOf } from '../../../store/kept-fields.ts'
import { likePattern } from '../../../store/like-pattern.ts'
import { type ChangeTools, change } from '../../change.ts'
import type { AccountRow, AccountsAnswer, OperatorAccountDetail } from '../../contract.ts'
import { pageOf } from '../../pages.ts'
import { Refusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../route.ts'
import { describeMember } from '../account/members.ts'
import { describeFinding } from './describe-finding.ts'

const pageRows = 50
const creditsMax = 50
/** Whom credits name that the console has granted. */
export const creditSource = 'console'

export async function listAccounts({
  parts,
  query,
}: CallOf<'GET /operate/accounts'>): Promise<JsonAnswer<AccountsAnswer>> {
  const search = query.search
  const found = await findAccounts(parts.engine, {
    after: query.after,
    search,
    id: undefined,
  })
  const { rows, next } = pageOf(found, pageRows, (row) => row.id)
  return { body: { accounts: rows, next } }
}

export async function readOperatorAccount(
  call: SignedInCall,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  return { body: await accountDetailOf(call, call.id) }
}

export async function createAccount(
  call: CallOf<'POST /operate/accounts'>,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  const { creditNano, ...account } = await call.body()
  const { id } = account
  const amountNano = creditNano ?? 0n
  await change(call, async (changing) => {
    if (await findRow(changing, id)) {
      throw refuse('conflict', 'account_taken', { values: { id }, field: 'id' })
    }
    await addAccount(changing, changing.nowMs, account)
    if (amountNano > 0n) {
      const creditId = newId('credit', call.parts.random)
      const reason = 'credit to start with'
      const at = changing.nowMs
      const source = creditSource
      const grant = { id: creditId, accountId: id, amountNano, source, reason, at }
      await grantCredit(changing, { ...grant, externalId: creditId })
    }
    await changing.record({
      action: 'account.created',
      subject: id,
      after: { ...account, amountNano },
    })
  })
  return { body: await accountDetailOf(call, id) }
}

export async function editAccount(
  call: CallOf<'PATCH /operate/accounts/{id}'>,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  const { id } = call
  const edit = await call.body()
  await change(call, async (changing) => {
    const before = await needAccountRow(changing, id)
    await changeAccount(changing, id, edit)
    const after = await needAccountRow(changing, id)
    await changing.record({ action: 'account.changed', subject: id, before, after })
  })
  return { body: await accountDetailOf(call, id) }
}

/** Lets an account have leases again that the self-audit has stopped. */
export async function releaseAccount(
  call: SignedInCall,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  const { id, parts } = call
  const stop = (await listStops(parts.engine)).find((each) => each.accountId === id)
  await change(call, async (changing) => {
    await needAccountRow(changing, id)
    if (!(await releaseStop(changing, id, changing.nowMs))) {
      throw refuse('conflict', 'account_not_stopped')
    }
    const before = { findings: stop?.findings }
    await changing.record({ action: 'account.released', subject: id, before })
  })
  return { body: await accountDetailOf(call, id) }
}

function findRow({ tx }: ChangeTools, id: string) {
  return tx
    .selectFrom('account')
    .select(['name', 'status', 'ends_at'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function needAccountRow(changing: ChangeTools, id: string) {
  const row = await findRow(changing, id)
  if (!row) throw missing()
  return row
}

function missing(): Refusal {
  return new Refusal('not_found', 'There is no such account.')
}

export async function accountDetailOf(
  call: SignedInCall,
  id: string,
): Promise<OperatorAccountDetail> {
  const { engine } = call.parts
  const page = { after: undefined, search: undefined, id }
  const [account] = await findAccounts(engine, page)
  if (!account) throw missing()
  const credits = await engine.db
    .selectFrom('credit as c')
    .selectAll('c')
    .select(sql<number>`(SELECT COUNT(*) FROM credit r WHERE r.reverses = c.id)`.as('reversals'))
    .where('c.account_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(creditsMax)
    .execute()
  const stop = (await listStops(engine)).find((each) => each.accountId === id)
  return {
    ...account,
    members: (await listMembers(engine.db, id)).map(describeMember),
    credits: credits.map((row) => ({
      id: row.id,
      at: row.created_at,
      amountNano: String(row.amount_nano),
      source: row.source,
      externalId: row.external_id,
      reason: row.reason,
      isReversal: row.reverses !== null,
      isReversed: row.reversals > 0,
    })),
    findings: (stop?.findings ?? []).map(describeFinding),
  }
}

/** In order of id, one more than a page has. One statement, so that the amounts belong to one moment. */
async function findAccounts(
  { db }: Engine,
  page: {
    readonly after: string | undefined
    readonly search: string | undefined
    readonly id: string | undefined
  },
): Promise<AccountRow[]> {
  let query = db
    .selectFrom('account as a')
    .selectAll('a')
    .select([
      sql<bigint>`CAST(COALESCE((SELECT SUM(granted_nano - used_nano) FROM lease WHERE account_id = a.id), 0)
        AS BIGINT)`.as('held_nano'),
      sql<bigint>`CAST(COALESCE((SELECT SUM(amount_nano) FROM credit WHERE account_id = a.id), 0)
        AS BIGINT)`.as('credit_nano'),
      sql<number>`(SELECT COUNT(*) FROM api_key WHERE account_id = a.id AND deleted_at IS NULL)`.as(
        'key_count',
      ),
      sql<number>`(SELECT COUNT(*) FROM membership WHERE account_id = a.id)`.as('member_count'),
      sql<number>`(SELECT COUNT(*) FROM audit_stop WHERE account_id = a.id AND released_at IS NULL)`.as(
        'stops',
      ),
    ])
    .where('a.id', '>', page.after ?? '')
  if (page.id !== undefined) query = query.where('a.id', '=', page.id)
  if (page.search !== undefined) {
    const pattern = likePattern(page.search)
    query = query.where(
      sql<boolean>`(lower(a.id) LIKE ${pattern} ESCAPE '!' OR lower(a.name) LIKE ${pattern} ESCAPE '!')`,
    )
  }
  const rows = await query
    .orderBy('a.id')
    .limit(pageRows + 1)
    .execute()
  return rows.map((row) => ({
    ...toWire(accountDefinition, valuesOf(keptSettings, row)),
    createdAt: row.created_at,
    availableNano: String(row.available_nano),
    heldNano: String(row.held_nano),
    spentNano: String(row.credit_nano - row.available_nano - row.held_nano),
    keyCount: row.key_count,
    memberCount: row.member_count,
    isStopped: row.stops > 0,
  }))
}
