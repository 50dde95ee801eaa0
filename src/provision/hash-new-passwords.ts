import { passwordHashOf } from '../accounts/user-store.ts'
import type { ProvisionUser } from '../config/provision.ts'
import type { Engine } from '../store/engine.ts'
import type { ProvisionTools } from './provision-tools.ts'

/** Hashes of the passwords that are not the stored ones already, by email. */
export async function hashNewPasswords(
  engine: Engine,
  tools: ProvisionTools,
  users: readonly ProvisionUser[],
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (const { email, password } of users) {
    if (password === undefined) continue
    const stored = await passwordHashOf(engine, email)
    if (typeof stored === 'string' && (await tools.isPasswordOf(password, stored))) continue
    hashes.set(email, await tools.hashPassword(password))
  }
  return hashes
}
