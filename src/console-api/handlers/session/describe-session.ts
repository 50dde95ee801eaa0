import { listInvitations } from '../../../accounts/invitations.ts'
import { hasPasskeyAt } from '../../../accounts/passkey-store.ts'
import type { Session } from '../../../accounts/session-store.ts'
import { languages } from '../../../core/text/language.ts'
import { themes } from '../../../core/text/theme.ts'
import { mayGiveAt } from '../../access/may-give-link.ts'
import { visibleAccounts } from '../../access/visible-accounts.ts'
import { csrfHeader, csrfValue, freshSignInMs, type SessionAnswer } from '../../contract.ts'
import { gatewayUrl } from '../../mail/gateway-url.ts'
import { consoleApiRoot } from '../../root-paths.ts'
import type { RouteCall } from '../../routes/route.ts'
import { isDemoFilled, isSetupOpen } from '../setup/setup-fact.ts'
import { isOfProvider } from './refuse-provider-user.ts'

/** The session: user, visible accounts, and what the pages need to know about the gateway. */
export async function describeSession(
  call: RouteCall,
  session: Session | undefined,
): Promise<SessionAnswer> {
  const { deps } = call
  const nowMs = deps.clock.nowMs()
  const { openId, relyingParty } = deps
  const gateway = {
    csrf: { header: csrfHeader, value: csrfValue },
    openId: openId ? { label: openId.label, url: `${consoleApiRoot}/open-id/start` } : null,
    passkeyOrigin: relyingParty?.origin ?? null,
    hasMail: deps.gateway.mail !== undefined,
    gatewayUrl: gatewayUrl(call),
    brand: deps.brand,
    version: deps.gateway.readProcess().version,
  }
  if (!session)
    return {
      user: null,
      accounts: [],
      invitations: [],
      isSetupOpen: false,
      isDemoFilled: false,
      ...gateway,
    }
  const { email, isAdmin, hasTotp, source } = session
  const isOurs = !isOfProvider({ deps, session })
  const isOpen = isAdmin && (await isSetupOpen(deps.engine.db))
  return {
    user: {
      id: session.userId,
      email,
      role: isAdmin ? 'admin' : 'member',
      invitedTo: session.invitedTo ?? null,
      hasPassword: isOurs && session.hasPassword,
      hasTotp,
      hasOpenId: session.hasOpenId && openId !== undefined,
      source: openId ? source : 'manual',
      hasPasskey:
        isOurs &&
        relyingParty !== undefined &&
        (await hasPasskeyAt(deps.engine.db, session.userId, relyingParty.id)),
      language: languages.find((each) => each === session.language) ?? null,
      theme: themes.find((each) => each === session.theme) ?? null,
      freshUntil: session.authenticatedAtMs + freshSignInMs,
    },
    accounts: await visibleAccounts(deps.engine, session),
    // Only a user with a verified email may see its invitations.
    invitations:
      session.invitedTo === undefined
        ? await listInvitations(deps.engine.db, email, { mayGive: mayGiveAt(nowMs), nowMs })
        : [],
    isSetupOpen: isOpen,
    isDemoFilled: isOpen && (await isDemoFilled(deps.engine.db)),
    ...gateway,
  }
}
