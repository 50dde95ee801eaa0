import { describe, expect, test } from 'bun:test'
import { pointerOf, problemOf, sendProblem } from '../../../src/console-api/admin/problem.ts'
import { ApiRefusal, refuse, wrongField } from '../../../src/console-api/refusal.ts'
import { readDocument, sectionOf, tableRows } from '../docs/table-rows.ts'

const requestId = '0190163d-8694-739b-aea5-966c26f8ad91'

describe('a refusal as a problem', () => {
  test('of a member of the body', () => {
    expect(problemOf(wrongField('prices[0].input', 'text_long', { max: 9 }), requestId)).toEqual({
      type: '/docs/errors#invalid_request',
      title: 'Invalid request',
      status: 400,
      detail: 'prices[0].input must be text of 1 to 9 characters.',
      instance: `urn:uuid:${requestId}`,
      code: 'invalid_request',
      requestId,
      errors: [
        {
          detail: 'prices[0].input must be text of 1 to 9 characters.',
          code: 'text_long',
          values: { max: 9 },
          pointer: '#/prices/0/input',
        },
      ],
    })
  })

  test('of a parameter, and of a header', () => {
    const places = { parameters: ['from'], headers: ['idempotency-key'] }
    const placeOf = (field: string) =>
      problemOf(wrongField(field, 'number_wrong'), requestId, places).errors?.[0]
    expect(placeOf('from')).toMatchObject({ parameter: 'from' })
    expect(placeOf('from')).not.toHaveProperty('pointer')
    expect(placeOf('idempotency-key')).toMatchObject({ header: 'idempotency-key' })
    expect(placeOf('to')).toMatchObject({ pointer: '#/to' })
  })

  test('of a state, with and without details', () => {
    const state = problemOf(refuse('conflict', 'account_taken', { values: { id: 'a' } }), requestId)
    expect(state).toMatchObject({
      status: 409,
      errors: [{ code: 'account_taken', values: { id: 'a' } }],
    })
    const plain = problemOf(new ApiRefusal('not_found', 'This key does not exist.'), requestId)
    expect(plain).toMatchObject({
      status: 404,
      title: 'Not found',
      detail: 'This key does not exist.',
    })
    expect(plain).not.toHaveProperty('errors')
  })

  test.each([
    ['name', '#/name'],
    ['a.b', '#/a/b'],
    ['a[10].b[2]', '#/a/10/b/2'],
    ['a/b~c', '#/a~1b~0c'],
    ['a b"é', '#/a%20b%22%C3%A9'],
  ])('the field %s is at %s', (field, pointer) => {
    expect(pointerOf(field)).toBe(pointer)
  })

  test('is sent with the headers of the refusal, and how to present a token', async () => {
    const busy = sendProblem(
      new ApiRefusal('too_many_tries', 'Wait.', { headers: { 'retry-after': '10' } }),
      requestId,
    )
    expect([busy.status, busy.headers.get('content-type')]).toEqual([
      429,
      'application/problem+json',
    ])
    expect(busy.headers.get('retry-after')).toBe('10')
    expect(busy.headers.get('www-authenticate')).toBeNull()
    expect(await busy.json()).toMatchObject({ code: 'too_many_tries', requestId })
    const stranger = sendProblem(new ApiRefusal('invalid_token', 'No.'), requestId)
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="admin"',
    ])
  })
})

describe('docs/errors.md, the admin API', () => {
  const rows = tableRows(sectionOf(readDocument('docs/errors.md'), '## Codes of the admin API'))
  const codes = [
    'invalid_request',
    'invalid_token',
    'address_not_allowed',
    'scope_missing',
    'not_allowed',
    'not_found',
    'method_not_allowed',
    'conflict',
    'in_use',
    'unfit',
    'unprocessable',
    'precondition_failed',
    'request_too_large',
    'idempotency_key_reused',
    'internal_error',
    'unavailable',
  ] as const
  test.each(codes)('%s is described with its status', (code) => {
    const details = { detail: 'value_unknown' as never }
    const [status, meaning, whatToDo] = rows.get(code) ?? []
    expect(status).toBe(String(new ApiRefusal(code as never, '', details).status))
    expect(meaning).toBeTruthy()
    expect(whatToDo).toBeTruthy()
  })
  test('there are no others', () => {
    expect([...rows.keys()].toSorted()).toEqual([...codes].toSorted())
  })
})
