import type { OwnerFixture } from './key-owner-fixture.ts'
import { type Caller, callers } from './key-owner-table.ts'

export interface SignedInCallers {
  /** By user id. */
  readonly cookies: ReadonlyMap<string, string>
  send(
    caller: Caller,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly answer: string; readonly text: string; readonly json: unknown }>
}

/** Signs all callers in, in the console or with a token. */
export async function signInCallers(fixture: OwnerFixture): Promise<SignedInCallers> {
  const cookies = new Map<string, string>()
  const tokens = new Map<string, string>()
  for (const userId of Object.values(callers)) {
    if (userId === 'acme' || userId === 'gateway') {
      tokens.set(userId, await fixture.makeToken(['all'], userId === 'acme' ? 'acme' : undefined))
    } else {
      const open = userId === 'u_ivy' ? fixture.openInvitation : fixture.signIn
      cookies.set(userId, await open(userId))
    }
  }
  return {
    cookies,
    send: async (caller, method, path, body = {}) => {
      const who = callers[caller]
      const token = tokens.get(who)
      const sent = method === 'GET' || method === 'DELETE' ? {} : { body }
      const response =
        token === undefined
          ? await fixture.send(method, `/console/api${path}`, { cookie: cookies.get(who), ...sent })
          : await fixture.admin(token, method, path, sent)
      const text = await response.text()
      const json = text.startsWith('{') ? JSON.parse(text) : {}
      const code: unknown = json.error?.code ?? json.code
      const isRefused = response.status >= 400
      return { answer: `${response.status}${isRefused ? ` ${String(code)}` : ''}`, text, json }
    },
  }
}
