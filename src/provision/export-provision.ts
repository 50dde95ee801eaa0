import { newAccountDefinition } from '../accounts/definition/account.ts'
import { consoleRoles, provisionedUserDefinition } from '../accounts/definition/user.ts'
import { memberLimitColumns, readAccountRole, readSource } from '../accounts/member-store.ts'
import { settingColumns as keptAccount } from '../accounts/setting-columns.ts'
import { listAlerts } from '../alerts/alert-store.ts'
import { alertDefinition } from '../alerts/definition/alert.ts'
import { demoIds } from '../demo/apply-demo.ts'
import { toWritten } from '../fields/definition.ts'
import { keyDefinition } from '../keys/definition/key.ts'
import { settingColumns as keptKey } from '../keys/setting-columns.ts'
import type { Engine } from '../store/engine.ts'
import { columnNames, valuesOf } from '../store/rows/stored-fields.ts'
import { exportGroups, exportModels, exportUpstreams } from './export-catalog.ts'
import { readAll, readConsistently } from './read-state.ts'
import { entriesOf, sortBy, type WrittenEntry } from './written-entries.ts'

/** The whole state in the format of the file; the entries of each list are sorted by id. */
export interface ProvisionDocument {
  readonly groups: readonly WrittenEntry[]
  readonly models: readonly WrittenEntry[]
  readonly upstreams: readonly WrittenEntry[]
  readonly accounts: readonly WrittenEntry[]
  readonly users: readonly WrittenEntry[]
  readonly alerts: readonly WrittenEntry[]
  readonly keys: readonly WrittenEntry[]
}

/**
 * The file that would recreate the current state, without secrets and without the built-in upstream, which every
 * gateway has.
 */
export function exportProvision(
  { db }: Pick<Engine, 'db'>,
  nowMs: number,
): Promise<ProvisionDocument> {
  return readConsistently(db, async () => {
    const demo = await demoIds(db)
    return {
      groups: await exportGroups(db),
      models: await exportModels(db, nowMs, demo.models),
      upstreams: await exportUpstreams(db, demo.upstreams),
      accounts: await exportAccounts(db),
      users: await exportUsers(db),
      alerts: await exportAlerts(db),
      keys: await exportKeys(db),
    }
  })
}

async function exportAccounts(db: Engine['db']): Promise<WrittenEntry[]> {
  const rows = await readAll(
    (afterId, rowsMax) =>
      db
        .selectFrom('account')
        .leftJoin('credit', (join) =>
          join
            .onRef('credit.external_id', '=', 'account.id')
            .onRef('credit.account_id', '=', 'account.id')
            .on('credit.source', '=', 'provision'),
        )
        .select(columnNames(keptAccount).map((column) => `account.${column}` as const))
        .select('credit.amount_nano')
        .where('account.id', '>', afterId)
        .orderBy('account.id')
        .limit(rowsMax)
        .execute(),
    ({ id }) => id,
  )
  return entriesOf(
    sortBy(rows, ({ id }) => id),
    (row) =>
      toWritten(newAccountDefinition, {
        ...valuesOf(keptAccount, row),
        ...(row.amount_nano !== null && { creditNano: row.amount_nano }),
      }),
  )
}

/** Without the URLs and secrets of webhooks. */
async function exportAlerts(db: Engine['db']): Promise<WrittenEntry[]> {
  const alerts = await readAll(
    (after, rowsMax) => listAlerts(db, { accountIds: undefined, after, rowsMax }),
    ({ id }) => id,
  )
  return entriesOf(
    sortBy(alerts, ({ id }) => id),
    (alert) => ({ id: alert.id, ...toWritten(alertDefinition, alert) }),
  )
}

/** Omits logins that an owner has invited: the operator does not create them. */
async function exportUsers(db: Engine['db']): Promise<WrittenEntry[]> {
  const rows = await readAll(
    (afterId, rowsMax) =>
      db
        .selectFrom('console_user')
        .select(['id', 'email', 'role', 'suspended', 'source'])
        .where('invited_to', 'is', null)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(rowsMax)
        .execute(),
    ({ id }) => id,
  )
  const memberships = await readAll(
    (after, rowsMax) => membershipsAfter(db, after, rowsMax),
    (row) => `${row.user_id} ${row.account_id}`,
  )
  const byUser = Map.groupBy(memberships, (row) => row.user_id)
  return entriesOf(
    sortBy(rows, ({ email }) => email),
    (row) =>
      toWritten(provisionedUserDefinition, {
        email: row.email,
        role: consoleRoles.find((role) => role === row.role) ?? 'member',
        isSuspended: row.suspended === 1,
        source: writtenSource(row.source),
        accounts: sortBy(byUser.get(row.id) ?? [], (each) => each.account_id).map((each) => ({
          id: each.account_id,
          role: readAccountRole(each.role),
          source: writtenSource(each.source),
          ...valuesOf(memberLimitColumns, each),
        })),
      }),
  )
}

/** An absent source means that people decide. */
function writtenSource(text: string): 'open-id' | undefined {
  return readSource(text) === 'open-id' ? 'open-id' : undefined
}

function membershipsAfter(db: Engine['db'], after: string, rowsMax: number) {
  const [userId = '', accountId = ''] = after.split(' ')
  return db
    .selectFrom('membership')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('user_id', '>', userId),
        eb.and([eb('user_id', '=', userId), eb('account_id', '>', accountId)]),
      ]),
    )
    .orderBy('user_id')
    .orderBy('account_id')
    .limit(rowsMax)
    .execute()
}

/** A membership has columns of the same names. */
function ofKey<const Name extends string>(column: Name): `api_key.${Name}` {
  return `api_key.${column}`
}

/** Omits keys whose owner the file cannot name: a former member, or a login that an owner has invited. */
async function exportKeys(db: Engine['db']): Promise<WrittenEntry[]> {
  const rows = await readAll(
    (afterId, rowsMax) =>
      db
        .selectFrom('api_key')
        .leftJoin('console_user', 'console_user.id', 'api_key.owner_user_id')
        .leftJoin('membership', (join) =>
          join
            .onRef('membership.user_id', '=', 'api_key.owner_user_id')
            .onRef('membership.account_id', '=', 'api_key.account_id'),
        )
        .select(['api_key.id', 'email', ...columnNames(keptKey).map(ofKey)])
        .where('deleted_at', 'is', null)
        .where((eb) =>
          eb.or([
            eb('owner_user_id', 'is', null),
            eb.and([
              eb('stopped', '=', 0),
              eb('membership.role', 'in', ['member', 'owner']),
              eb('console_user.invited_to', 'is', null),
            ]),
          ]),
        )
        .where('api_key.id', '>', afterId)
        .orderBy('api_key.id')
        .limit(rowsMax)
        .execute(),
    ({ id }) => id,
  )
  return entriesOf(
    sortBy(rows, ({ id }) => id),
    (row) => ({
      id: row.id,
      ...toWritten(keyDefinition, { ...valuesOf(keptKey, row), ownerId: row.email }),
    }),
  )
}
