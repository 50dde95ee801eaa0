import { defaultGroup } from '../catalog/default-group.ts'
import { ConfigProblem } from '../config/config-problem.ts'
import type { Provision } from '../config/provision.ts'
import { turns } from '../core/runtime/turns.ts'
import type { Writing } from '../store/changes/write.ts'
import { knownIds } from '../store/rows/known-ids.ts'

/** The referring entry and the ids that it names. */
interface Referrer {
  readonly where: string
  readonly name: string
  readonly to: readonly string[]
}

/** Every reference of an entry must exist in the file or in the database, or nothing is applied. */
export async function checkReferences({ tx }: Writing, provision: Provision): Promise<void> {
  const { groups, upstreams, accounts, users, keys, alerts } = provision
  const toGroups = [
    ...upstreams.map(({ id, groups: own, models, where }) => ({
      where,
      name: `the upstream "${id}"`,
      to: [...own, ...models.flatMap((route) => route.groups ?? [])],
    })),
    ...keys.map(({ id, groups: to, where }) => ({ where, name: `the key "${id}"`, to })),
  ]
  await refuseMissing(tx, toGroups, [defaultGroup, ...groups.map(({ id }) => id)], 'group')
  await turns.next()
  const toAccounts = [
    ...groups.map(({ id, grants, where }) => ({
      where,
      name: `the group "${id}"`,
      to: (grants ?? []).map(({ accountId }) => accountId),
    })),
    ...users.map(({ email, accounts: own, where }) => ({
      where,
      name: `the user "${email}"`,
      to: own.map(({ id }) => id),
    })),
    ...keys.map(({ id, accountId, where }) => ({
      where,
      name: `the key "${id}"`,
      to: [accountId],
    })),
    ...alerts.map(({ id, accountId, where }) => ({
      where,
      name: `the alert "${id}"`,
      to: accountId === null ? [] : [accountId],
    })),
  ]
  await refuseMissing(
    tx,
    toAccounts,
    accounts.map(({ id }) => id),
    'account',
  )
}

async function refuseMissing(
  tx: Writing['tx'],
  referrers: readonly Referrer[],
  inDocument: readonly string[],
  kind: 'group' | 'account',
): Promise<void> {
  const known = new Set(inDocument)
  const missing = new Set<string>()
  for (const { to } of referrers) for (const id of to) if (!known.has(id)) missing.add(id)
  const stored = await knownIds(tx, kind === 'group' ? 'service_group' : 'account', missing)
  if (stored.size === missing.size) return
  for (const { where, name, to } of referrers) {
    const id = to.find((each) => !known.has(each) && !stored.has(each))
    if (id === undefined) continue
    throw new ConfigProblem(
      `${where}: ${name} names the ${kind} "${id}", which is neither in the file nor in the database; add it to provision.${kind}s or correct the name.`,
    )
  }
}
