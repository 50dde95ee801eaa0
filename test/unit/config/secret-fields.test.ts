import { describe, expect, test } from 'bun:test'
import type { z } from 'zod'
import { explainIssues } from '../../../src/config/explain-issue.ts'
import { provisionSchema, secretFields } from '../../../src/config/provision-schema.ts'
import { define, optional, required, unquotedNames } from '../../../src/fields/definition.ts'
import { orNull, textKind } from '../../../src/fields/kind.ts'
import { objectKind, rowsOf } from '../../../src/fields/object-kind.ts'

/* How a field is read shows whether it is secret: a secret may be a reference, so its text goes to the reader. */

const mark = 'a-secret-that-somebody-wrote\n'
const seen: string[] = []
const secrets = {
  hasSeenLiteral: false,
  read: (text: string) => {
    seen.push(text)
    return { value: text }
  },
}
const { entries, routedModel } = provisionSchema({
  vendorNames: ['openai'],
  secrets,
  readFile: undefined,
})
const shapes: readonly (readonly [string, unknown])[] = [
  ['a text', mark],
  ['a list', [mark]],
  ['a list of named values', [{ name: 'n', value: mark }]],
  ['an object', { value: mark }],
]

const rows = [...Object.entries(entries), ['routes', routedModel.out] as const].flatMap(
  ([list, schema]) => {
    const { shape } = (schema as unknown as z.ZodPipe<z.ZodObject>).in
    return Object.keys(shape).map((member) => ({ list, member, schema: schema as z.ZodType }))
  },
)

function messageOf(schema: z.ZodType, entry: object, list: string): string {
  const reading = schema.safeParse(entry)
  if (reading.success) return ''
  const value = { provision: { [list]: [entry] } }
  const file = { path: 'f.yaml', value, isSent: false, whereIs: () => 'f.yaml:1' }
  const issues = reading.error.issues
    // Problems of this member, and not of other missing ones.
    .filter(({ path }) => path[0] !== undefined && path[0] in entry)
    .map((issue) => ({ ...issue, path: ['provision', list, 0, ...issue.path] }))
  return issues.length === 0 ? '' : explainIssues(file as never, issues).message
}

describe('the value of a secret is not repeated in a message', () => {
  test.each(rows)('$list: $member', ({ list, member, schema }) => {
    let isSecret = false
    for (const [, value] of shapes) {
      seen.length = 0
      schema.safeParse({ [member]: value })
      isSecret ||= seen.includes(mark)
    }
    expect([member, secretFields.has(member)]).toEqual([member, isSecret])
    if (!isSecret) return
    for (const [shape, value] of [...shapes, ['a number', 4_242_424_242] as const]) {
      const message = messageOf(schema, { [member]: value }, list)
      const isTold = message.includes('somebody') || message.includes('4242424242')
      expect([shape, message, isTold]).toEqual([shape, message, false])
    }
  })

  test('headers, in which people put credentials although they are refused there', () => {
    for (const [schema, entry] of [
      [entries.upstreams, { parameters: { headers: { authorization: mark } } }],
      [routedModel, { id: 'm', parameters: { headers: { 'x-team': mark } } }],
    ] as const) {
      const message = messageOf(schema, entry, 'upstreams')
      expect(message).toContain('headers')
      expect(message).not.toContain('somebody')
    }
  })

  test('a secret field is found at any depth', () => {
    const text = textKind('text_wrong', { max: 10 })
    const options = { about: '', by: 'operator' } as const
    const inner = objectKind({ pin: required(text, { ...options, isSecret: true }) })
    const { fields } = define('thing', {
      code: required(text, { ...options, isSecret: true, file: 'secretCode' }),
      open: required(text, options),
      box: required(inner, options),
      maybeBox: optional(orNull(inner), null, options),
      boxes: required(
        rowsOf(inner, { max: 2, many: 'list_long', twice: 'list_wrong', key: 'pin' }),
        options,
      ),
    })
    expect(unquotedNames(fields)).toEqual(['secretCode', 'pin', 'pin', 'pin'])
  })
})
