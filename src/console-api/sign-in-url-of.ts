import { gatewayUrl } from './gateway-url.ts'
import type { RouteCall } from './route.ts'

/** The token is a fragment, which browsers send to nobody: it stands in no access log. */
export function signInUrlOf(call: RouteCall, token: string): string {
  return `${gatewayUrl(call)}/console/sign-in#${token}`
}

/** The same for an invitation, which the page must not take for a sign-in link. */
export function invitationUrlOf(call: RouteCall, token: string): string {
  return `${gatewayUrl(call)}/console/invitation#${token}`
}
