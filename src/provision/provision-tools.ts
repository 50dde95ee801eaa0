import type { KeyTools } from '../keys/key-store.ts'

/** The dependencies of provisioning: the vault, randomness, the clock and the password hash. */
export interface ProvisionTools extends KeyTools {
  readonly hashPassword: (password: string) => Promise<string>
  readonly isPasswordOf: (password: string, hash: string) => Promise<boolean>
}

/** The actor in the audit log for changes made by the file or at start. */
export const provisionActor = 'provision'
