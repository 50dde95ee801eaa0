import type { KeyTools } from '../keys/key-store.ts'

/** What provisioning reaches for: the vault, randomness, the clock and the password hash. */
export interface ProvisionTools extends KeyTools {
  readonly hashPassword: (password: string) => Promise<string>
  readonly isPasswordOf: (password: string, hash: string) => Promise<boolean>
}

/** The name under which changes made by the file or at start stand in the audit table. */
export const provisionActor = 'provision'
