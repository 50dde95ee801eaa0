import type { BodyOf, SessionAnswer } from '../../../src/console-api/contract.ts'
import { call } from './client.ts'

let last: { token: string; answer: Promise<SessionAnswer> } | undefined

/** A link works once, so the token is sent only once, even when the router loads the page again. */
export function redeemLink(token: string): Promise<SessionAnswer> {
  if (last?.token !== token) {
    const body: BodyOf<'POST /sign-in-link'> = { token }
    last = { token, answer: call('POST /sign-in-link', { body }) }
  }
  return last.answer
}
