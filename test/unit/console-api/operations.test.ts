import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import type { Operation } from '../../../src/console-api/contract/operations/operation.ts'
import { operations } from '../../../src/console-api/contract/operations/operations.ts'
import { readInput, readQuery } from '../../../src/console-api/http/read-input.ts'
import { ApiRefusal } from '../../../src/console-api/refusal.ts'

const table: [string, Operation][] = Object.entries(operations)

describe('every operation', () => {
  test.each(table)('%s can be described', (name, operation) => {
    expect(name).toMatch(/^(?:GET|POST|PUT|PATCH|DELETE) (?:\/(?:[a-z-]+|\{id\}|\{rest\}))+$/)
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    if (name.startsWith('GET ')) expect(operation.body).toBeUndefined()
    for (const schema of [operation.query, operation.body, operation.answer]) {
      if (!schema) continue
      const described = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' })
      expect(described.type).toBe('object')
    }
  })

  const narrowed = table.filter(([, { owns }]) => owns === 'accounts' || owns === 'one-account')
  test.each(narrowed)('%s accepts the account parameter', (_, operation) => {
    expect(operation.query?.safeParse({ account: 'acme' }).success).toBe(true)
  })
})

function refusalOf(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    const { field, detail, values } = error.details
    return { field, detail, values, message: error.message }
  }
  return undefined
}

const query = (name: keyof typeof operations, text: string) => () => {
  const { query: schema }: Operation = operations[name]
  return readQuery(schema, new URLSearchParams(text))
}
const body = (name: keyof typeof operations, sent: Record<string, unknown>) => () => {
  const { body: schema }: Operation = operations[name]
  if (!schema) throw new Error(`${name} takes no body`)
  return readInput(schema, sent, 'body')
}
const words = (text: string) => ({ words: text })

describe('refused input', () => {
  test.each([
    [
      'an unknown parameter',
      query('GET /keys', 'serach=a'),
      'query',
      'member_unknown',
      { name: 'serach' },
    ],
    [
      'a parameter of an operation without parameters',
      query('GET /session', 'a=b'),
      'query',
      'member_unknown',
      { name: 'a' },
    ],
    [
      'a parameter named __proto__',
      query('GET /session', '__proto__=b'),
      'query',
      'member_unknown',
      { name: '__proto__' },
    ],
    [
      'a parameter that is too long',
      query('GET /keys', `search=${'x'.repeat(257)}`),
      'search',
      'parameter_long',
      { max: 256 },
    ],
    [
      'a null character in a parameter',
      query('GET /keys', 'group=%00'),
      'group',
      'parameter_long',
      { max: 256 },
    ],
    [
      'an unknown value of a parameter',
      query('GET /keys', 'sort=price'),
      'sort',
      'word_wrong',
      words('created, name, expires, id'),
    ],
    [
      'an unknown filter for incomplete models',
      query('GET /operate/models', 'lacks=all'),
      'lacks',
      'word_wrong',
      words('price, route'),
    ],
    ['an invalid status', query('GET /usage', 'status=99'), 'status', 'status_wrong', {}],
    ['an invalid time', query('GET /usage/totals', 'from=yesterday'), 'from', 'time_wrong', {}],
    ['an invalid amount', query('GET /usage', 'minCost=-1'), 'minCost', 'nano_wrong', {}],
    ['an invalid flag', query('GET /usage', 'stream=yes'), 'stream', 'flag_wrong', {}],
    [
      'an invalid request id prefix',
      query('GET /usage', 'request=%25'),
      'request',
      'id_start_wrong',
      {},
    ],
    [
      'an invalid position in the request log',
      query('GET /usage', 'before=a%20b'),
      'before',
      'cursor_wrong',
      {},
    ],
    [
      'an invalid position in the audit log',
      query('GET /operate/audit', 'before=-1'),
      'before',
      'number_wrong',
      {},
    ],
    ['an invalid day', query('GET /billing', 'from=2026-13-01'), 'from', 'day_wrong', {}],
    [
      'an unknown member',
      body('POST /totp/confirm', { code: '123456', remember: true }),
      'body',
      'member_unknown',
      { name: 'remember' },
    ],
    [
      'a missing member',
      body('POST /sign-in', { email: 'a@example.com' }),
      'password',
      'text_wrong',
      {},
    ],
    [
      'an empty text',
      body('POST /sign-in-link', { token: '' }),
      'token',
      'text_long',
      { max: 100 },
    ],
    [
      'a text that is too long',
      body('POST /sign-in-link', { token: 'x'.repeat(101) }),
      'token',
      'text_long',
      { max: 100 },
    ],
    [
      'a null character in a text',
      body('POST /sign-in-link', { token: 'a\0' }),
      'token',
      'text_plain',
      {},
    ],
    [
      'a password that is too short',
      body('POST /password', { password: 'short' }),
      'password',
      'password_short',
      {},
    ],
    [
      'a recovery code while setting up an app',
      body('POST /totp/confirm', { code: 'abcd-efgh-ijkl-mnop' }),
      'code',
      'app_code_wrong',
      {},
    ],
    ['an invalid code', body('POST /totp/remove', { code: '12' }), 'code', 'code_wrong', {}],
    [
      'an unsupported language',
      body('PATCH /me', { language: 'fr' }),
      'language',
      'word_wrong',
      words('en, zh'),
    ],
    [
      'a credit of zero',
      body('POST /operate/accounts/{id}/credits', {
        amountNano: '0',
        reason: 'x',
        externalId: 'x',
      }),
      'amountNano',
      'amount_zero',
      {},
    ],
    [
      'a credit of half a nano',
      body('POST /operate/accounts/{id}/credits', {
        amountNano: '0.5',
        reason: 'x',
        externalId: 'x',
      }),
      'amountNano',
      'nano_wrong',
      {},
    ],
    ...['here', '10.0.0.0/8', '10.0.0.1/32', '::1/128', '10.0.0.1 ', ''].map(
      (address) =>
        [
          `the address "${address}"`,
          body('POST /operate/explain', { protocol: 'messages', keyId: 'k', body: '{}', address }),
          'address',
          'single_address_wrong',
          {},
        ] as const,
    ),
  ] as const)('%s', (_, read, field, detail, values) => {
    const refusal = refusalOf(read)
    expect(refusal).toMatchObject({ field, detail, values })
    expect(refusal?.message).toMatch(/^\w+ .*[^{}]\.$/)
    expect(refusal?.message).not.toContain('{')
  })
})

describe('parsed input', () => {
  test.each([
    ['an empty parameter is ignored', 'GET /usage', 'status=&stream=', {}],
    ['the first of two values counts', 'GET /usage', 'account=a&account=b', { account: 'a' }],
    ['an empty first value counts, too', 'GET /usage', 'account=&account=b', {}],
    [
      'numbers, amounts and flags',
      'GET /usage',
      'from=5&status=404&minCost=7&stream=false',
      { from: 5, status: 404, minCost: 7n, stream: false },
    ],
    ['request id prefixes are in lower case', 'GET /usage', 'request=AB-1', { request: 'ab-1' }],
    ['spaces around a search text are removed', 'GET /keys', 'search=+a+', { search: 'a' }],
    [
      'a day begins at midnight in UTC',
      'GET /billing',
      'account=a&to=2026-11-01',
      { account: 'a', to: Date.UTC(2026, 10, 1) },
    ],
    [
      'extra parameters of an identity provider',
      'GET /open-id/callback',
      'code=1&iss=x',
      { code: '1', iss: 'x' },
    ],
  ] as const)('%s', (_, name, text, expected) => {
    expect(query(name, text)()).toEqual(expected)
  })
})
