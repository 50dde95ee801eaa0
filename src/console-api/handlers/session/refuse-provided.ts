import type { Session } from '../../../accounts/session-store.ts'
import { refuse } from '../../refusal.ts'

/**
 * A user whom the identity provider brought here gets no password and no passkey: with one, a person whom the provider
 * no longer lets in could still sign in.
 */
export function refuseProvided({ source }: Session): void {
  if (source === 'open-id') throw refuse('conflict', 'sign_in_open_id')
}
