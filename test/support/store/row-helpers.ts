import { putAccount } from '../../../src/accounts/account-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { complete } from '../../../src/fields/definition.ts'
import { type KeyValues, keyDefinition } from '../../../src/keys/definition/key.ts'
import type { KeyDeps } from '../../../src/keys/key-store.ts'
import type { Change } from '../../../src/store/changes/changes.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'

export const nowMs = 1_790_000_000_000

export const tools: KeyDeps = {
  vault: createVault(Buffer.from('a secret of the tests, long enough')),
  random: systemRandom,
  nowMs: () => nowMs,
}

export const plainKey: KeyValues = complete(keyDefinition, { accountId: 'acme', name: 'laptop' })

/** The settings of an owner without budgets. */
export const noBudgets = {
  dailyNano: null,
  weeklyNano: null,
  monthlyNano: null,
  budgetZone: 'UTC',
  budgetMonthDay: 1,
  budgetAlertPercent: null,
}

export function addAccount(engine: Engine, id = 'acme'): Promise<unknown> {
  return write(engine, nowMs, (writing) => putAccount(writing, nowMs, { id, name: id }))
}

/** Runs one management transaction and returns the changes that it announced. */
export async function changesBy(
  engine: Engine,
  work: (writing: Writing) => Promise<unknown>,
): Promise<Change[]> {
  const changes: Change[] = []
  await write(engine, nowMs, async ({ tx, audits }) => {
    await work({
      tx,
      nowMs,
      audits,
      announce: (topic, subject) => changes.push({ seq: changes.length + 1, topic, subject }),
    })
  })
  return changes
}
