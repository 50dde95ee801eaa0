import type { Session } from '../../accounts/session-store.ts'
import type { Engine } from '../../store/engine.ts'
import { csrfHeader, csrfValue, type SessionAnswer } from '../contract.ts'
import { visibleAccountNames } from '../visible-accounts.ts'

export async function describeSession(
  engine: Engine,
  session: Session | undefined,
): Promise<SessionAnswer> {
  const csrf = { header: csrfHeader, value: csrfValue }
  if (!session) return { user: null, accounts: [], csrf }
  const { email, isAdmin, hasPassword } = session
  return {
    user: { email, role: isAdmin ? 'admin' : 'member', hasPassword },
    accounts: await visibleAccountNames(engine, session),
    csrf,
  }
}
