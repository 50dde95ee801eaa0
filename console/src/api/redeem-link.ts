import type { SessionAnswer, SignInLinkRequest } from '../../../src/console-api/contract.ts'
import { post } from './client.ts'

let last: { token: string; answer: Promise<SessionAnswer> } | undefined

/** A link works once, so a token is sent once, even when the router asks for its page again. */
export function redeemLink(token: string): Promise<SessionAnswer> {
  if (last?.token !== token) {
    const body: SignInLinkRequest = { token }
    last = { token, answer: post<SessionAnswer>('/sign-in-link', body) }
  }
  return last.answer
}
