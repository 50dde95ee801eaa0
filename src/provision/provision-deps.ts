import type { KeyDeps } from '../keys/key-store.ts'
import type { Applied } from './applied.ts'

/** The dependencies of provisioning: the vault, randomness, the clock and the password hash. */
export interface ProvisionDeps extends KeyDeps {
  readonly hashPassword: (password: string) => Promise<string>
  readonly isPasswordOf: (password: string, hash: string) => Promise<boolean>
}

/** The actor in the audit log for changes made by the file or at start. */
export const provisionActor = 'provision'

export interface StartingPoint {
  readonly applied: Applied
  /** Ids of the upstreams that were created from credentials in the environment. */
  readonly environmentUpstreams: readonly string[]
  readonly isDemoInForce: boolean
  /** The value of the key "local", shown to the person who starts the gateway. */
  readonly localKey: string | undefined
  /** The user for whom a sign-in link may be created. */
  readonly admin: { readonly id: string; readonly email: string }
}
