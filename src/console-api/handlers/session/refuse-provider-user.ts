import type { Session } from '../../../accounts/session-store.ts'
import { refuse } from '../../refusal.ts'

/**
 * A user that the identity provider created gets no password and no passkey: with one of them, a person could still
 * sign in after the provider has blocked them.
 */
export function refuseProviderUser({ source }: Session): void {
  if (source === 'open-id') throw refuse('conflict', 'sign_in_open_id')
}
