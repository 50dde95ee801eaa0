import { putAccount } from '../accounts/account-store.ts'
import { putUser } from '../accounts/user-store.ts'
import { defaultGroup, ensureDefaultGroup } from '../catalog/default-group.ts'
import { putGrants, putGroup } from '../catalog/group-store.ts'
import { putRoutes } from '../catalog/route-store.ts'
import { putUpstream } from '../catalog/upstream-store.ts'
import type { Provision, ProvisionAccount, ProvisionUpstream } from '../config/provision.ts'
import { newId } from '../core/id.ts'
import { grantCredit } from '../ledger/credits.ts'
import { recordAudit } from '../store/audit.ts'
import type { Engine } from '../store/engine.ts'
import { type Writing, write } from '../store/write.ts'
import {
  type Applied,
  combineResults,
  emptyCounts,
  type ProvisionKind,
  type PutResult,
} from './applied.ts'
import { checkReferences } from './check-references.ts'
import { hashNewPasswords } from './hash-new-passwords.ts'
import { type ProvisionTools, provisionActor } from './provision-tools.ts'
import { putKey } from './put-key.ts'
import { findRoutedModels, putProvisionedModels, warnOfUnpriced } from './put-models.ts'

/**
 * Makes what the file names exist as the file says, all or nothing. Applying the same file again changes
 * nothing; what the file does not name is left alone.
 */
export async function applyProvision(
  engine: Engine,
  tools: ProvisionTools,
  provision: Provision,
): Promise<Applied> {
  const apply = await prepareProvision(engine, tools, provision)
  return write(engine, tools.nowMs(), apply)
}

/** All that can be done before the transaction; what is answered does the rest in it. */
export async function prepareProvision(
  engine: Engine,
  tools: ProvisionTools,
  provision: Provision,
): Promise<(writing: Writing) => Promise<Applied>> {
  // Hashing is slow on purpose: it happens before the transaction, which others wait for.
  const passwords = await hashNewPasswords(engine, tools, provision.users)
  const routed = await findRoutedModels(engine, provision, tools.nowMs())
  const models = [...provision.models, ...routed]

  return async (writing) => {
    const tally = startTally(writing, tools)
    await checkReferences(writing, provision)
    if (usesDefaultGroup(provision)) await ensureDefaultGroup(writing, tools)
    const groups = new Map<string, PutResult>()
    for (const each of provision.groups) groups.set(each.id, await putGroup(writing, tools, each))
    for (const [id, result] of await putProvisionedModels(writing, tools, models))
      await tally.note('models', id, result)
    for (const each of provision.upstreams) {
      await tally.note('upstreams', each.id, await placeUpstream(writing, tools, each))
    }
    for (const { id, name } of provision.accounts) {
      await tally.note('accounts', id, await putAccount(writing, tools.nowMs(), { id, name }))
    }
    // A grant names an account, which may have been made just now.
    for (const { id, grants } of provision.groups) {
      const granted = grants === undefined ? 'same' : await putGrants(writing, id, grants)
      await tally.note('groups', id, combineResults(groups.get(id) ?? 'same', granted))
    }
    for (const { email, role, accounts } of provision.users) {
      const settings = {
        email,
        role,
        accountIds: accounts,
        passwordHash: passwords.hashes.get(email),
      }
      await tally.note('users', email, await putUser(writing, tools, settings))
    }
    for (const each of provision.keys) {
      await tally.note('keys', each.id, await putKey(writing, tools, each))
    }
    // Requests lock a key before its account; doing the same here keeps the two from waiting in a circle.
    for (const each of provision.accounts) await grantOnce(writing, tools, each)
    const warnings = [...passwords.warnings, ...(await warnOfUnpriced(writing, provision))]
    return { counts: tally.counts, warnings }
  }
}

/** Counts what was done, and writes it down for the audit. */
function startTally(writing: Writing, tools: ProvisionTools) {
  const counts = emptyCounts()
  return {
    counts,
    note: async (kind: ProvisionKind, subject: string, result: PutResult): Promise<void> => {
      counts[kind][result] += 1
      if (result === 'same') return
      const action = `${kind.slice(0, -1)}.${result}`
      await recordAudit(writing, { at: tools.nowMs(), actor: provisionActor, action, subject })
    },
  }
}

/** Only an entry of the file that names the group without describing it calls it into being. */
function usesDefaultGroup({ groups, upstreams, keys }: Provision): boolean {
  if (groups.some(({ id }) => id === defaultGroup)) return false
  return [...upstreams, ...keys].some((each) => each.groups.includes(defaultGroup))
}

async function placeUpstream(
  writing: Writing,
  tools: ProvisionTools,
  entry: ProvisionUpstream,
): Promise<PutResult> {
  const { id, priority, weight } = entry
  const put = await putUpstream(writing, tools, entry)
  const routes = entry.groups.flatMap((group) =>
    entry.models.map((route) => ({
      ...route,
      group,
      priority: route.priority ?? priority,
      weight: route.weight ?? weight,
    })),
  )
  return combineResults(put, await putRoutes(writing, id, routes))
}

async function grantOnce(
  writing: Writing,
  tools: ProvisionTools,
  { id, creditNano }: ProvisionAccount,
): Promise<void> {
  if (creditNano === undefined || creditNano === 0n) return
  const isGranted = await grantCredit(writing, {
    id: newId('credit', tools.random),
    accountId: id,
    amountNano: creditNano,
    source: 'provision',
    externalId: id,
    reason: 'granted by the config file',
    at: tools.nowMs(),
  })
  if (!isGranted) return
  const after = { amountNano: creditNano }
  await recordAudit(writing, {
    at: tools.nowMs(),
    actor: provisionActor,
    action: 'account.credited',
    subject: id,
    after,
  })
}
