import { putAccount } from '../accounts/account-store.ts'
import { firstAdmin, ownedAccounts } from '../accounts/last-holder.ts'
import { putUser } from '../accounts/user-store.ts'
import type { PutResult } from '../catalog/catalog-store.ts'
import { credentialNames } from '../catalog/credential-store.ts'
import { defaultGroup, ensureDefaultGroup } from '../catalog/default-group.ts'
import { putGrants, putGroup } from '../catalog/group-store.ts'
import { putRoutes } from '../catalog/route-store.ts'
import { putUpstream } from '../catalog/upstream-store.ts'
import { ConfigProblem } from '../config/config-problem.ts'
import type { Provision, ProvisionAccount, ProvisionUpstream } from '../config/provision.ts'
import { newId } from '../core/id.ts'
import { creditReasons } from '../core/money/credit-reasons.ts'
import { lowerPrioritiesWith } from '../keys/lower-priorities.ts'
import { grantCredit } from '../ledger/credits.ts'
import { recordAudit } from '../store/changes/audit.ts'
import { type Writing, write } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import {
  type Applied,
  type AppliedChange,
  combineResults,
  emptyCounts,
  listedChangesMax,
  type ProvisionKind,
} from './applied.ts'
import { checkReferences } from './check-references.ts'
import { type OnConflict, refuseConflict } from './conflicts.ts'
import { hashNewPasswords } from './hash-new-passwords.ts'
import { type ProvisionDeps, provisionActor } from './provision-deps.ts'
import { putAlert, warnOfStrangers } from './put-alert.ts'
import { putKey } from './put-key.ts'
import { findRoutedModels, putProvisionedModels, warnOfUnpriced } from './put-models.ts'
import { type GrantCheck, UnconfirmedCredit } from './unconfirmed-credit.ts'

/**
 * Creates or updates the resources that the file names, all or nothing. Applying the same file again changes nothing;
 * resources that the file does not name stay unchanged.
 */
export async function applyProvision(
  engine: Engine,
  deps: ProvisionDeps,
  provision: Provision,
  grants: GrantCheck,
): Promise<Applied> {
  const apply = await prepareProvision(engine, deps, provision, { grants })
  return write(engine, deps.nowMs(), (writing) => keepHolders(writing, apply))
}

/**
 * Refuses to leave no administrator who can sign in, or to take the last owner of an account away. A start of the
 * gateway applies the file in any case, and creates an administrator.
 */
export async function keepHolders(
  writing: Writing,
  apply: (writing: Writing) => Promise<Applied>,
): Promise<Applied> {
  const before = await firstAdmin(writing.tx)
  const owned = await ownedAccounts(writing.tx)
  const applied = await apply(writing)
  if (before && !(await firstAdmin(writing.tx))) {
    throw new ConfigProblem(
      `users demotes or suspends ${before.email}, and no other administrator can sign in; keep one administrator.`,
      { place: 'users' },
    )
  }
  const still = await ownedAccounts(writing.tx)
  const lost = [...owned].find((id) => !still.has(id))
  if (lost !== undefined) {
    throw new ConfigProblem(
      `users takes the last owner of the account "${lost}" away, by suspending or demoting them or by ending the membership; name another owner, or first use "tollgate users suspend" or "tollgate members remove", which ask.`,
      { place: 'users' },
    )
  }
  return applied
}

interface PrepareOptions {
  readonly grants: GrantCheck
  readonly actor?: string
  /** Whether an entry that does not fit what was changed in the console is refused, or only causes a warning. */
  readonly conflicts?: 'refuse' | 'warn'
}

/**
 * Does the work that needs no transaction, and returns a function for the work inside the transaction. The audit log
 * records the changes under the name of the actor.
 */
export async function prepareProvision(
  engine: Engine,
  deps: ProvisionDeps,
  provision: Provision,
  { grants, actor = provisionActor, conflicts = 'refuse' }: PrepareOptions,
): Promise<(writing: Writing) => Promise<Applied>> {
  // Hashing is slow on purpose, so it runs before the transaction, which blocks others.
  const passwords = await hashNewPasswords(engine, deps, provision.users)
  const routed = await findRoutedModels(engine, provision, deps.nowMs())
  const models = [...provision.models, ...routed]

  return async (writing) => {
    const tally = startTally(writing, deps, actor)
    const unfit: string[] = []
    const onConflict: OnConflict =
      conflicts === 'refuse' ? refuseConflict : (problem) => unfit.push(problem)
    await checkReferences(writing, provision)
    if (usesDefaultGroup(provision)) await ensureDefaultGroup(writing, deps)
    const groups = new Map<string, PutResult>()
    const ownKeys = new Set(provision.keys.map(({ id }) => id))
    for (const each of provision.groups) {
      const put = () => putGroup(writing, deps, each)
      const { result, lowered } = await lowerPrioritiesWith(writing, each.id, put, ownKeys)
      groups.set(each.id, result)
      for (const { id } of lowered) await tally.note('keys', id, 'changed')
    }
    for (const [id, result] of await putProvisionedModels(writing, deps, models, onConflict))
      await tally.note('models', id, result)
    for (const each of provision.upstreams) {
      await tally.note('upstreams', each.id, await placeUpstream(writing, deps, each))
    }
    for (const account of provision.accounts) {
      await tally.note('accounts', account.id, await putAccount(writing, deps.nowMs(), account))
    }
    // A grant names an account, which the steps above may have created.
    for (const { id, grants } of provision.groups) {
      const granted = grants === undefined ? 'same' : await putGrants(writing, id, grants)
      await tally.note('groups', id, combineResults(groups.get(id) ?? 'same', granted))
    }
    for (const { email, role, accounts, isSuspended, source } of provision.users) {
      const passwordHash = passwords.hashes.get(email)
      const settings = { email, role, source, accounts, isSuspended, passwordHash }
      await tally.note('users', email, await putUser(writing, deps, settings))
    }
    for (const each of provision.keys) {
      await tally.note('keys', each.id, await putKey(writing, deps, each, onConflict))
    }
    const ofAlerts: string[] = []
    for (const each of provision.alerts) {
      const put = await putAlert(writing, deps, each, onConflict)
      if (put === 'incomplete') ofAlerts.push(warnOfAlert(each))
      else {
        await tally.note('alerts', each.id, put)
        ofAlerts.push(...(await warnOfStrangers(writing, each)))
      }
    }
    // Requests lock a key before its account; the same order here prevents a deadlock.
    for (const each of provision.accounts) await grantOnce(writing, deps, each, { grants, actor })
    const warnings = [
      ...passwords.warnings,
      ...unfit,
      ...(await warnOfUnpriced(writing, provision)),
      ...(await warnOfCredentials(writing, provision)),
      ...ofAlerts,
    ]
    return { counts: tally.counts, changes: tally.changes, warnings }
  }
}

/** Counts the changes and writes them to the audit log. */
function startTally(writing: Writing, deps: ProvisionDeps, actor: string) {
  const counts = emptyCounts()
  const changes: AppliedChange[] = []
  return {
    counts,
    changes,
    note: async (kind: ProvisionKind, subject: string, result: PutResult): Promise<void> => {
      counts[kind][result] += 1
      if (result === 'same') return
      const word = kind.slice(0, -1)
      if (changes.length < listedChangesMax) changes.push({ kind: word, id: subject, result })
      const action = `${word}.${result}`
      await recordAudit(writing, { at: deps.nowMs(), actor, action, subject })
    },
  }
}

/** Whether an entry of the file uses the default group without describing it: only then is the group created. */
function usesDefaultGroup({ groups, upstreams, keys }: Provision): boolean {
  if (groups.some(({ id }) => id === defaultGroup)) return false
  const routed = upstreams.flatMap(({ models }) => models.map((route) => route.groups ?? []))
  const named = [...upstreams.map((each) => each.groups), ...keys.map((each) => each.groups)]
  return [...routed, ...named].some((list) => list.includes(defaultGroup))
}

async function placeUpstream(
  writing: Writing,
  deps: ProvisionDeps,
  entry: ProvisionUpstream,
): Promise<PutResult> {
  const { id, priority, weight } = entry
  const put = await putUpstream(writing, deps, entry)
  const routes = entry.models.flatMap(({ groups = entry.groups, ...route }) =>
    [...new Set(groups)].map((group) => ({
      ...route,
      group,
      priority: route.priority ?? priority,
      weight: route.weight ?? weight,
    })),
  )
  return combineResults(put, await putRoutes(writing, id, routes))
}

/** A warning for each credential that is named without a value and is not stored. */
async function warnOfCredentials({ tx }: Writing, { upstreams }: Provision): Promise<string[]> {
  const warnings: string[] = []
  for (const { id, credentials, where } of upstreams) {
    const withoutValue = credentials?.filter(({ value }) => value === undefined) ?? []
    if (withoutValue.length === 0) continue
    const known = new Set(await credentialNames(tx, id))
    for (const { name } of withoutValue) {
      if (known.has(name)) continue
      warnings.push(
        `${where}: the credential "${name}" of the upstream "${id}" has no value and was not created; add its value.`,
      )
    }
  }
  return warnings
}

function warnOfAlert({ id, where, url }: Provision['alerts'][number]): string {
  const [missing, what] =
    url === undefined ? ['url', 'the URL'] : ['secret', 'the secret that signs the requests']
  return `${where}: the alert "${id}" was not created, because it has no "${missing}"; add ${what}.`
}

/** Only a credit that is new needs a confirmation: a file that was applied before can be applied again. */
async function grantOnce(
  writing: Writing,
  deps: ProvisionDeps,
  { id, creditNano, where }: ProvisionAccount,
  { grants, actor }: { readonly grants: GrantCheck; readonly actor: string },
): Promise<void> {
  if (creditNano === undefined || creditNano === 0n) return
  const isGranted = await grantCredit(writing, {
    id: newId('credit', deps.random),
    accountId: id,
    amountNano: creditNano,
    source: 'provision',
    externalId: id,
    reason: creditReasons.configFile,
    at: deps.nowMs(),
  })
  if (!isGranted) return
  if (grants !== 'confirmed' && creditNano >= grants.confirmFromNano)
    throw new UnconfirmedCredit(where, creditNano, grants.confirmFromNano)
  const after = { amountNano: creditNano }
  await recordAudit(writing, {
    at: deps.nowMs(),
    actor,
    action: 'account.credited',
    subject: id,
    after,
  })
}
