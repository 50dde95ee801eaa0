import type { RouteCall } from '../routes/route.ts'
import { linkUrl } from './gateway-url.ts'

/** The token is in the fragment, which browsers do not send: it is in no access log. */
export function signInUrlOf(call: RouteCall, token: string): string {
  return `${linkUrl(call)}${signInPath(token)}`
}

/** The link of a new user, who is asked to set a password. */
export function welcomeUrlOf(call: RouteCall, token: string): string {
  return `${linkUrl(call)}${welcomePath(token)}`
}

export function welcomePath(token: string): string {
  return `/console/sign-in?first=true#${token}`
}

function signInPath(token: string): string {
  return `/console/sign-in#${token}`
}

export function invitationPath(token: string): string {
  return `/console/invitation#${token}`
}

/** `account` is that of an invited user, who signs in with it afterwards. */
export function resetPath(token: string, account: string | undefined): string {
  const search = account === undefined ? '' : `?account=${encodeURIComponent(account)}`
  return `/console/new-password${search}#${token}`
}

/** The URL of an invitation. It has its own path, so that the page does not use it as a sign-in link. */
export function invitationUrlOf(call: RouteCall, token: string): string {
  return `${linkUrl(call)}${invitationPath(token)}`
}
