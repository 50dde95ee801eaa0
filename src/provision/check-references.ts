import { defaultGroup } from '../catalog/default-group.ts'
import { ConfigProblem } from '../config/config-problem.ts'
import type { Provision, ProvisionGroup } from '../config/provision.ts'
import { knownIds } from '../store/known-ids.ts'
import type { Writing } from '../store/write.ts'

interface Reference {
  readonly to: string
  /** The beginning of the sentence: the location and the referring entry. */
  readonly from: string
}

/** Every reference of an entry must exist in the file or in the database, or nothing is applied. */
export async function checkReferences({ tx }: Writing, provision: Provision): Promise<void> {
  const groups = [
    ...provision.upstreams.flatMap(({ id, groups, models, where }) =>
      [...new Set([...groups, ...models.flatMap((route) => route.groups ?? [])])].map((to) => ({
        to,
        from: `${where}: the upstream "${id}"`,
      })),
    ),
    ...provision.keys.flatMap(({ id, groups, where }) =>
      groups.map((to) => ({ to, from: `${where}: the key "${id}"` })),
    ),
  ]
  const accounts = [
    ...provision.groups.flatMap(({ id, grants, where }) =>
      grantedIn(grants).map((to) => ({ to, from: `${where}: the group "${id}"` })),
    ),
    ...provision.users.flatMap(({ email, accounts, where }) =>
      accounts.map(({ id }) => ({ to: id, from: `${where}: the user "${email}"` })),
    ),
    ...provision.keys.map(({ id, accountId, where }) => ({
      to: accountId,
      from: `${where}: the key "${id}"`,
    })),
  ]
  const groupIds = new Set([defaultGroup, ...provision.groups.map(({ id }) => id)])
  const accountIds = new Set(provision.accounts.map(({ id }) => id))
  const targets = groups.map(({ to }) => to)
  const knownGroups = await knownIds(tx, 'service_group', targets)
  refuseMissing(groups, groupIds.union(knownGroups), 'group', 'provision.groups')
  const knownAccounts = await knownIds(
    tx,
    'account',
    accounts.map(({ to }) => to),
  )
  refuseMissing(accounts, accountIds.union(knownAccounts), 'account', 'provision.accounts')
}

function grantedIn(grants: ProvisionGroup['grants']): string[] {
  return (grants ?? []).map(({ accountId }) => accountId)
}

function refuseMissing(
  references: readonly Reference[],
  known: ReadonlySet<string>,
  kind: string,
  list: string,
): void {
  const missing = references.find(({ to }) => !known.has(to))
  if (!missing) return
  throw new ConfigProblem(
    `${missing.from} names the ${kind} "${missing.to}", which is neither in the file nor in the database; add it to ${list} or correct the name.`,
  )
}
