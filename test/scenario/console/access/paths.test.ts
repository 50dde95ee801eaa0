import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'

/* How a path is read: its route, its parameters, and paths without a route. */

let fixture: ConsoleFixture
let cookie: string

beforeAll(async () => {
  fixture = await openConsoleFixture()
  cookie = await fixture.signIn('u_root')
})
afterAll(() => fixture.close())

const noAddress = 'This path does not exist.'

/** The expected response: the allowed methods, or the reason of the refusal. */
const rows: readonly (readonly [string, string, number, string])[] = [
  ['GET', '/session', 200, ''],
  ['HEAD', '/session', 200, ''],
  ['HEAD', '/sign-out', 405, 'POST'],
  ['HEAD', '/open-id/start', 405, 'GET'],
  ['HEAD', '/open-id/callback?code=x&state=x', 405, 'GET'],
  ['POST', '/open-id/callback', 405, 'GET'],
  ['HEAD', '/nowhere', 404, ''],
  ['OPTIONS', '/keys', 405, 'GET, HEAD, POST'],
  ['GET', '', 404, noAddress],
  ['GET', '/', 404, noAddress],
  ['POST', '', 404, noAddress],
  ['GET', '/Session', 404, noAddress],
  ['GET', '/session/', 404, noAddress],
  ['GET', '//session', 404, noAddress],
  ['GET', '/session;x', 404, noAddress],
  ['GET', '/%73ession', 404, noAddress],
  ['GET', '/constructor', 404, noAddress],
  ['GET', '/__proto__', 404, noAddress],
  ['GET', '/*', 404, noAddress],
  ['GET', '/keys', 200, ''],
  ['GET', '/keys/', 404, noAddress],
  ['PUT', '/keys', 405, 'GET, HEAD, POST'],
  ['GET', '/keys/key_a1', 200, ''],
  ['GET', '/keys/key_a1/', 404, noAddress],
  ['GET', '/keys/key%5Fa1', 200, ''],
  ['POST', '/keys/key_a1', 405, 'GET, HEAD, PATCH, PUT, DELETE'],
  ['GET', '/keys/a%2Fb', 404, 'This key does not exist.'],
  ['GET', '/keys/:id', 404, 'This key does not exist.'],
  ['GET', '/keys/{id}', 404, noAddress],
  ['GET', '/keys/a%20b', 404, noAddress],
  ['GET', '/keys/%ZZ', 404, noAddress],
  ['PUT', '/keys/%ZZ', 404, noAddress],
  ['GET', '/keys/%FF', 404, noAddress],
  ['GET', '/keys/%00', 404, noAddress],
  ['GET', '/keys/a%252Fb', 404, noAddress],
  ['GET', `/keys/${'k'.repeat(129)}`, 404, noAddress],
  ['GET', '/keys/%2e%2e', 404, noAddress],
  ['GET', '/keys/%2e%2e/session', 200, ''],
  ['GET', '/keys/..%2fsession', 404, 'This key does not exist.'],
  ['GET', '/keys/options', 404, 'This key does not exist.'],
  ['GET', '/key-options', 404, 'This account does not exist.'],
  ['GET', '/keys/%6Fptions', 404, 'This key does not exist.'],
  ['GET', '/key-options?account=acme', 200, ''],
  ['POST', '/key-options', 405, 'GET, HEAD'],
  ['GET', '/sessions/close-others', 405, 'POST'],
  ['PUT', '/sessions/close-others', 405, 'POST'],
  ['GET', '/operate/models/gpt-x', 200, ''],
  ['GET', '/operate/models/no%2Fmodel', 404, 'This model does not exist.'],
  ['GET', '/operate/models/no/model', 404, noAddress],
  ['GET', '/operate/model-gaps', 200, ''],
  ['GET', '/operate/models/gaps', 404, 'This model does not exist.'],
  ['GET', '/operate/models/gpt-x/prices', 405, 'POST'],
  ['GET', '/operate/models/a%2Fb/prices', 405, 'POST'],
  ['GET', '/operate/models//prices', 404, noAddress],
  ['GET', '/usage/export/x', 404, noAddress],
  ['POST', '/usage/totals', 405, 'GET, HEAD'],
  ['GET', '/playground/key_a1', 404, noAddress],
  ['GET', '/playground/key_a1/', 404, 'The playground can only call paths under /v1 and /v1beta.'],
  ['GET', '/playground/key_a1/v1/models', 200, ''],
  ['GET', '/playground/key%5Fa1/v1/models', 200, ''],
  [
    'GET',
    '/playground/key_a1/v1',
    404,
    'The playground can only call paths under /v1 and /v1beta.',
  ],
  [
    'GET',
    '/playground/key_a1//v1/models',
    404,
    'The playground can only call paths under /v1 and /v1beta.',
  ],
  [
    'GET',
    '/playground/key_a1/v1%2Fmodels',
    404,
    'The playground can only call paths under /v1 and /v1beta.',
  ],
  ['GET', '/playground/%ZZ/v1/models', 404, noAddress],
  ['GET', '/playground//v1/models', 404, noAddress],
  ['GET', '/playground/options', 200, ''],
  ['GET', '/playground/options/', 404, 'This key does not exist.'],
  ['PUT', '/playground/key_a1/v1/models', 405, 'GET, HEAD, POST'],
]

describe('a path', () => {
  test.each(rows)('%s %s is answered with %d %s', async (method, path, status, said) => {
    const response = await fetch(`${fixture.url}/console/api${path}`, {
      method,
      headers: { cookie },
      redirect: 'manual',
    })
    const text = await response.text()
    const allow = response.headers.get('allow')
    const message = text.startsWith('{"error"') ? JSON.parse(text).error.message : ''
    expect([response.status, allow ?? message]).toEqual([status, said])
    expect(fixture.errors).toEqual([])
  })
})
