import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ErrorAnswer } from '../../../../src/console-api/contract.ts'
import { idCharactersMax, nameCharactersMax } from '../../../../src/fields/problems.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'

describe('what the console refuses', () => {
  let fixture: ConsoleFixture
  let cookie: string

  beforeAll(async () => {
    fixture = await openConsoleFixture()
    cookie = await fixture.signIn('u_root')
  })
  afterAll(() => fixture.close())

  test.each([
    [
      'a value that the forms reject',
      ['POST', '/operate/groups', { id: 'not an id' }],
      {
        code: 'invalid_request',
        field: 'id',
        detail: 'id_wrong',
        values: { max: idCharactersMax },
      },
      /^id must be 1 to 128 letters/,
    ],
    [
      'a name one character too long, most of them outside the BMP',
      ['PATCH', '/operate/accounts/acme', { name: `${'😀'.repeat(nameCharactersMax)}x` }],
      { field: 'name', detail: 'name_wrong', values: { max: nameCharactersMax } },
      /^name must be a name of 1 to 200 characters on one line\.$/,
    ],
    [
      'a field of the wrong type',
      ['PATCH', '/operate/accounts/acme', { status: 'asleep' }],
      { field: 'status', detail: 'word_wrong', values: { words: 'active, suspended' } },
      /^status must be one of active, suspended\.$/,
    ],
    [
      'an id that is in use',
      ['POST', '/operate/accounts', { id: 'acme', name: 'Another' }],
      { code: 'conflict', field: 'id', detail: 'account_taken', values: { id: 'acme' } },
      /^The account "acme" already exists\.$/,
    ],
    [
      'a change that would lock the caller out',
      ['PATCH', '/operate/users/u_root', { role: 'member' }],
      { code: 'in_use', detail: 'own_role' },
      /^You cannot demote/,
    ],
    [
      'a body that is not JSON',
      ['POST', '/operate/groups', '[]'],
      { code: 'invalid_request', detail: 'body_not_object' },
      /^The body is not a JSON object\.$/,
    ],
    [
      'an unknown parameter',
      ['GET', '/keys?serach=a', {}],
      {
        code: 'invalid_request',
        field: 'query',
        detail: 'member_unknown',
        values: { name: 'serach' },
      },
      /^query has no member serach\.$/,
    ],
    [
      'an unknown member',
      ['PATCH', '/me', { language: 'en', colour: 'red' }],
      {
        code: 'invalid_request',
        field: 'body',
        detail: 'member_unknown',
        values: { name: 'colour' },
      },
      /^body has no member colour\.$/,
    ],
  ] as const)('%s has a code and a message', async (_, call, error, words) => {
    const [method, path, body] = call
    const response = await fixture.send(method, `/console/api${path}`, { cookie, body })
    const answer = await readJson<ErrorAnswer>(response)
    expect(answer.error).toMatchObject(error)
    expect(answer.error.message).toMatch(words)
    expect(answer.error).not.toHaveProperty('headers')
  })
})

describe('a response that does not match its operation', () => {
  test('is an error where responses are checked', async () => {
    const upstreamModels = async () => ({ models: [5 as never], problem: undefined })
    const fixture = await openConsoleFixture({ gateway: { upstreamModels } })
    try {
      const cookie = await fixture.signIn('u_root')
      const path = '/console/api/operate/upstreams/one/models'
      const response = await fixture.get(path, { cookie })
      expect(response.status).toBe(500)
      expect(String(fixture.errors[0])).toContain(
        'GET /operate/upstreams/{id}/models does not answer',
      )
    } finally {
      await fixture.close()
    }
  })
})

describe('authorisation is checked before the request is validated', () => {
  test.each([
    ['not signed in', undefined, 'GET', '/operate/users?no=1', 401],
    ['not an administrator', 'u_ann', 'GET', '/operate/users?no=1', 403],
    ['not a member of the account', 'u_bob', 'GET', '/usage?account=acme&status=x', 404],
    ['a member of the account', 'u_ann', 'GET', '/usage?account=acme&status=x', 400],
  ] as const)('%s', async (_, user, method, path, status) => {
    const fixture = await openConsoleFixture()
    try {
      const cookie = user && (await fixture.signIn(user))
      const response = await fixture.send(method, `/console/api${path}`, { cookie })
      expect(response.status).toBe(status)
    } finally {
      await fixture.close()
    }
  })
})
