import { addAccount, changeAccount } from '../../../accounts/account-store.ts'
import { type AccountSettings, newAccountDefinition } from '../../../accounts/definition/account.ts'
import { settingColumns } from '../../../accounts/setting-columns.ts'
import { cliActor } from '../../../core/access/cli-actor.ts'
import { newId } from '../../../core/id.ts'
import { creditReasons } from '../../../core/money/credit-reasons.ts'
import { toWire } from '../../../fields/definition.ts'
import { listStops, releaseStop } from '../../../ledger/audit/audit-stops.ts'
import { grantCredit } from '../../../ledger/credits.ts'
import type { Engine } from '../../../store/engine.ts'
import { valuesOf } from '../../../store/rows/stored-fields.ts'
import { canonicalJson } from '../../../wire/canonical-json.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import { putById, withBody } from '../../changes/put-by-id.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { AccountsAnswer, OperatorAccountDetail } from '../../contract.ts'
import { refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { changeMoney, needConfirmation } from './change-money.ts'
import { accountDetailOf, findAccounts, missingAccount } from './describe-account.ts'

/** Source of credits: the console, also for a token, or the command line. */
export function creditSourceOf({ session }: Pick<SignedInCall, 'session'>): string {
  return session.userId === cliActor ? cliActor : 'console'
}

export async function listAccounts({
  deps,
  query,
}: CallOf<'GET /operate/accounts'>): Promise<JsonAnswer<AccountsAnswer>> {
  const rowsMax = query.limit ?? pageRows.accounts
  const found = await findAccounts(deps.engine, {
    after: query.after?.[0],
    search: query.search,
    status: query.status,
    rowsMax: rowsMax + 1,
  })
  const { rows, next } = pageOf(found, rowsMax, (row) => writeCursor(row.id))
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
  const body = await call.body()
  const { creditNano, ...account } = body
  const { id } = account
  const amountNano = creditNano ?? 0n
  return changeMoney(call, toWire(newAccountDefinition, body), async (changing) => {
    if (await findRow(changing, id)) {
      throw refuse('conflict', 'account_taken', { values: { id }, field: 'id' })
    }
    needConfirmation(call, 'creditNano', amountNano)
    await addAccount(changing, changing.nowMs, account)
    if (amountNano > 0n) {
      const creditId = newId('credit', call.deps.random)
      const reason = creditReasons.initial
      const at = changing.nowMs
      const source = creditSourceOf(call)
      const grant = { id: creditId, accountId: id, amountNano, source, reason, at }
      await grantCredit(changing, { ...grant, externalId: creditId })
    }
    await changing.record({
      action: 'account.created',
      subject: id,
      after: { ...account, amountNano },
    })
    return { accountId: id, more: {} }
  })
}

export async function editAccount(
  call: CallOf<'PATCH /operate/accounts/{id}'>,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  const { id } = call
  const edit = await call.body()
  await change(call, async (changing) => {
    const before = await needAccount(changing, id)
    await changeAccount(changing, id, edit)
    const after = await needAccount(changing, id)
    await changing.record({ subject: id, ...describeEdit(before, after) })
  })
  return { body: await accountDetailOf(call, id) }
}

/** An edit that only suspends or resumes has an action of its own. */
function describeEdit(before: AccountSettings, after: AccountSettings) {
  const { status } = after
  const isSwitched =
    status !== before.status && canonicalJson({ ...before, status }) === canonicalJson(after)
  if (!isSwitched) return { action: 'account.changed', before, after }
  const action = status === 'suspended' ? 'account.suspended' : 'account.resumed'
  return { action, before: { status: before.status }, after: { status } }
}

export async function putAccountRow(
  call: CallOf<'PUT /operate/accounts/{id}'>,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  const { id, deps } = call
  const account = await call.body()
  return putById({
    id,
    isThere: () => findRow({ tx: deps.engine.db }, id),
    make: () => createAccount(withBody(call, { ...account, id, creditNano: null })),
    replace: () => editAccount(withBody(call, account)),
  })
}

/** Allows leases again for an account that the self-audit stopped. */
export async function releaseAccount(
  call: SignedInCall,
): Promise<JsonAnswer<OperatorAccountDetail>> {
  const { id, deps } = call
  const stop = (await listStops(deps.engine)).find((each) => each.accountId === id)
  return changeMoney(call, null, async (changing) => {
    await needAccount(changing, id)
    if (!(await releaseStop(changing, id, changing.nowMs))) {
      throw refuse('conflict', 'account_not_stopped')
    }
    const before = { findings: stop?.findings }
    await changing.record({ action: 'account.released', subject: id, before })
    return { accountId: id, more: {} }
  })
}

function findRow({ tx }: { readonly tx: Engine['db'] }, id: string) {
  return tx.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst()
}

/** All settings of the account: the audit log names every one that a change changes. */
export async function needAccount(changing: ChangeContext, id: string): Promise<AccountSettings> {
  const row = await findRow(changing, id)
  if (!row) throw missingAccount()
  return valuesOf(settingColumns, row)
}
