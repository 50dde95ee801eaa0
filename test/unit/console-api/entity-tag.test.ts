import { describe, expect, test } from 'bun:test'
import {
  checkPreconditions,
  entityTagOf,
  readPreconditions,
} from '../../../src/console-api/admin/entity-tag.ts'
import { ApiRefusal } from '../../../src/console-api/refusal.ts'
import { canonicalJson } from '../../../src/wire/canonical-json.ts'

const tag = '"now"'

function outcomeOf(headers: Record<string, string>, current: string | undefined): number {
  try {
    checkPreconditions(readPreconditions(new Headers(headers)), current)
    return 200
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    expect(error.code).toBe(error.status === 400 ? 'invalid_request' : 'precondition_failed')
    return error.status
  }
}

describe('the precondition of a change', () => {
  const cases: readonly (readonly [Record<string, string>, there: number, absent: number])[] = [
    [{}, 200, 200],
    [{ 'if-match': tag }, 200, 412],
    [{ 'if-match': '"old"' }, 412, 412],
    [{ 'if-match': '*' }, 200, 412],
    [{ 'if-match': ' * ' }, 200, 412],
    [{ 'if-match': `"old", ${tag}` }, 200, 412],
    [{ 'if-match': `"old",${tag} ,"x"` }, 200, 412],
    [{ 'if-match': `W/${tag}` }, 412, 412],
    [{ 'if-match': 'now' }, 400, 400],
    [{ 'if-match': '' }, 400, 400],
    [{ 'if-match': `${tag}x` }, 400, 400],
    [{ 'if-match': `${tag},` }, 200, 412],
    [{ 'if-match': `,, "old" , ,${tag}, ,` }, 200, 412],
    [{ 'if-match': ',' }, 400, 400],
    [{ 'if-match': `"old" ${tag}` }, 400, 400],
    [{ 'if-match': `*, ${tag}` }, 400, 400],
    [{ 'if-match': '"a, "now""' }, 400, 400],
    [{ 'if-none-match': '*' }, 412, 200],
    [{ 'if-none-match': tag }, 412, 200],
    [{ 'if-none-match': `W/${tag}` }, 412, 200],
    [{ 'if-none-match': '"old"' }, 200, 200],
    [{ 'if-none-match': 'now' }, 400, 400],
    [{ 'if-match': tag, 'if-none-match': '*' }, 412, 412],
    [{ 'if-match': tag, 'if-none-match': '"old"' }, 200, 412],
  ]
  test.each(cases)('%j: %i if the resource exists, %i if it does not', (headers, there, absent) => {
    expect([outcomeOf(headers, tag), outcomeOf(headers, undefined)]).toEqual([there, absent])
  })

  test('the error has the current tag', () => {
    try {
      checkPreconditions(readPreconditions(new Headers({ 'if-match': '"old"' })), tag)
      throw new Error('it must be refused')
    } catch (error) {
      expect(error).toMatchObject({ status: 412, details: { headers: { etag: tag } } })
    }
  })
})

describe('an entity tag', () => {
  const shown = { id: 'a', list: [1, { x: null }], amountNano: 5n, none: undefined }
  test('is the same for the same state, in whatever order', () => {
    expect(entityTagOf(shown)).toMatch(/^"[\w-]{27}"$/)
    expect(entityTagOf({ amountNano: '5', list: [1, { x: null }], id: 'a' })).toBe(
      entityTagOf(shown),
    )
  })
  test.each([
    { ...shown, id: 'b' },
    { ...shown, list: [{ x: null }, 1] },
    { ...shown, list: [1, {}] },
    { ...shown, amountNano: 6n },
    { ...shown, none: null },
    { ...shown, __proto__x: 1 },
  ])('is another one for another state', (other) => {
    expect(entityTagOf(other)).not.toBe(entityTagOf(shown))
  })
  test('canonical JSON reads back as the value', () => {
    const odd = JSON.parse('{"2":1,"10":2,"__proto__":{"a":"\\u2028\\ud800"},"a":[true,null,0.1]}')
    expect(JSON.parse(canonicalJson(odd))).toEqual(odd)
    expect(canonicalJson(odd)).toStartWith('{"10":2,"2":1,"__proto__":')
    expect(canonicalJson([undefined, Number.NaN])).toBe('[null,null]')
    expect(canonicalJson(undefined)).toBe('null')
  })
})
