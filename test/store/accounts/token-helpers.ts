import { putAccount } from '../../../src/accounts/account-store.ts'
import { createUser } from '../../../src/accounts/create-user.ts'
import { putMember } from '../../../src/accounts/member-store.ts'
import type { TokenSettings } from '../../../src/admin-tokens/definition/token.ts'
import { findToken } from '../../../src/admin-tokens/find-token.ts'
import { TokenRefused } from '../../../src/admin-tokens/limit-to-creator.ts'
import { createToken, type TokenCreator } from '../../../src/admin-tokens/token-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'

export const vault = createVault(new Uint8Array(32).fill(3))
export const nowMs = 1_000_000
export const address = '10.1.2.3'
const commandLine: TokenCreator = { kind: 'command-line', actor: 'cli' }
const plain: TokenSettings = {
  name: 'ci',
  scopes: ['keys'],
  accountId: null,
  expiresAt: null,
  addresses: null,
}

export function make(engine: Engine, settings: Partial<TokenSettings> = {}, creator = commandLine) {
  const tools = { vault, random: systemRandom, nowMs }
  return write(engine, nowMs, (writing) =>
    createToken(writing, tools, { ...plain, ...settings }, creator),
  )
}

export async function refusalOf(made: Promise<unknown>): Promise<unknown> {
  const error = await made.catch((reason: unknown) => reason)
  if (!(error instanceof TokenRefused)) throw new Error('it must not be made')
  return error.field === undefined ? error.problem : [error.problem, error.field]
}

export async function statusOf(
  engine: Engine,
  value: string,
  more: { address?: string; nowMs?: number } = {},
): Promise<number> {
  const verdict = await findToken(engine, vault, { value, address, nowMs, ...more })
  return verdict.isGood ? 200 : verdict.status
}

/** Accounts a and b; ann is an operator, owen an owner of a, mia a member of a. */
export async function people(engine: Engine): Promise<Record<'ann' | 'owen' | 'mia', string>> {
  return write(engine, 1, async (writing) => {
    for (const id of ['a', 'b']) await putAccount(writing, 1, { id, name: id })
    const user = (email: string, role: 'admin' | 'member') =>
      createUser(writing, { random: systemRandom, nowMs: 1 }, { email, role, proof: 'operator' })
    const made = {
      ann: await user('ann@example.com', 'admin'),
      owen: await user('owen@example.com', 'member'),
      mia: await user('mia@example.com', 'member'),
    }
    await putMember(writing, { userId: made.owen, accountId: 'a', role: 'owner' })
    await putMember(writing, { userId: made.mia, accountId: 'a', role: 'member' })
    return made
  })
}
