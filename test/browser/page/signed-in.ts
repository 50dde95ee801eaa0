import { csrfHeader, csrfValue } from '../../../src/console-api/contract.ts'
import { cookieOf } from '../../support/console/console-fixture.ts'
import type { StorageState } from './open-browser.ts'

/** The cookies of a browser that is signed in with this cookie. */
export function stateOf(cookie: string): StorageState {
  const [name = '', value = ''] = cookie.split('=')
  const place = { domain: '127.0.0.1', path: '/', expires: -1 }
  return {
    cookies: [{ name, value, ...place, httpOnly: true, secure: false, sameSite: 'Lax' }],
    origins: [],
  }
}

/** Opens the first link of a new gateway and skips its set-up, as `skipSetup` does in a browser. */
export async function signInAndSkipSetup(link: string): Promise<StorageState> {
  const { origin, hash } = new URL(link)
  const post = async (path: string, body: object, cookie = '') => {
    const response = await fetch(`${origin}/console/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [csrfHeader]: csrfValue, cookie },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const cookie = cookieOf(await post('/sign-in-link', { token: hash.slice(1) }))
  await post('/setup/close', {}, cookie)
  return stateOf(cookie)
}
