import { describe, expect, test } from 'bun:test'
import { requestOf } from '../../../console/src/api/request-of.ts'
import type { AnswerOf } from '../../../src/console-api/contract.ts'

describe('a call of the back end', () => {
  test.each([
    [
      'an id is encoded in the path',
      requestOf('GET /operate/models/{id}', { params: { id: 'a/b' } }),
      ['GET', '/console/api/operate/models/a%2Fb', undefined],
    ],
    [
      'undefined parameters are left out',
      requestOf('GET /keys', { query: { account: 'a&b', search: undefined, sort: 'name' } }),
      ['GET', '/console/api/keys?account=a%26b&sort=name', undefined],
    ],
    [
      'a change has a body',
      requestOf('POST /password', { body: { password: 'correct horse' } }),
      ['POST', '/console/api/password', '{"password":"correct horse"}'],
    ],
    [
      'a change without a body has an empty one',
      requestOf('POST /sign-out', {}),
      ['POST', '/console/api/sign-out', '{}'],
    ],
    [
      'path, parameters and body together',
      requestOf('PATCH /accounts/{id}/members', {
        params: { id: 'acme' },
        query: { user: 'u_1' },
        body: { role: 'viewer' },
      }),
      ['PATCH', '/console/api/accounts/acme/members?user=u_1', '{"role":"viewer"}'],
    ],
  ] as const)('%s', (_, { address, init }, expected) => {
    expect([init.method, address, init.body]).toEqual([...expected])
  })

  /** Never run: only the compiler checks it. */
  test('the compiler rejects members that an operation lacks', () => {
    const wrong = () => [
      // @ts-expect-error no such operation
      requestOf('GET /operate/keys', {}),
      // @ts-expect-error another method
      requestOf('PUT /keys/{id}', { params: { id: 'k' } }),
      // @ts-expect-error the place in the path is empty
      requestOf('GET /keys/{id}', {}),
      // @ts-expect-error no such parameter
      requestOf('GET /keys', { query: { models: 'default' } }),
      // @ts-expect-error no such choice
      requestOf('GET /keys', { query: { sort: 'price' } }),
      // @ts-expect-error the body lacks the password
      requestOf('POST /sign-in', { body: { email: 'a@example.com' } }),
      // @ts-expect-error no such member of the body
      requestOf('POST /totp/confirm', { body: { code: '123456', remember: true } }),
      // @ts-expect-error a body where none is taken
      requestOf('POST /sign-out', { body: {} }),
      // @ts-expect-error a member of the body has another type
      requestOf('POST /totp/confirm', { body: { code: 123456 } }),
      // @ts-expect-error a parameter has another type
      requestOf('GET /usage', { query: { from: 1 } }),
      // @ts-expect-error the answer has no such member
      (session: AnswerOf<'GET /session'>) => session.keys,
    ]
    expect(wrong).toBeFunction()
  })
})
