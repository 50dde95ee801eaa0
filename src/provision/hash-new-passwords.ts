import { passwordHashOf } from '../accounts/user-store.ts'
import { ConfigProblem } from '../config/config-problem.ts'
import type { ProvisionUser } from '../config/provision.ts'
import { findProblem } from '../fields/find-problem.ts'
import { passwordKind } from '../fields/kinds.ts'
import { problemText } from '../fields/problems.ts'
import type { Engine } from '../store/engine.ts'
import type { ProvisionDeps } from './provision-deps.ts'

export interface NewPasswords {
  /** Hashes of the passwords that differ from the stored ones, by email. */
  readonly hashes: ReadonlyMap<string, string>
  /** Warnings for stored passwords that would not be accepted as new ones. */
  readonly warnings: readonly string[]
}

/**
 * Hashes the passwords that are not stored yet. A stored password of an earlier version that is now too short is kept
 * with a warning, so that a new version starts with the old file. As a new password it is refused.
 */
export async function hashNewPasswords(
  engine: Engine,
  deps: ProvisionDeps,
  users: readonly ProvisionUser[],
): Promise<NewPasswords> {
  const hashes = new Map<string, string>()
  const warnings: string[] = []
  for (const { email, password, where } of users) {
    if (password === undefined) continue
    const found = findProblem(passwordKind.wire, password)
    const wrong =
      found &&
      `${where}: the password of the user "${email}" ${problemText(found.problem, found.values)}`
    const stored = await passwordHashOf(engine, email)
    if (typeof stored === 'string' && (await deps.isPasswordOf(password, stored))) {
      if (wrong !== undefined) warnings.push(`${wrong}; it still works, but choose a longer one.`)
      continue
    }
    if (wrong !== undefined) throw new ConfigProblem(`${wrong}; choose another one.`)
    hashes.set(email, await deps.hashPassword(password))
  }
  return { hashes, warnings }
}
