import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import {
  accountDefinition,
  newAccountDefinition,
  newMemberNames,
} from '../../../src/accounts/definition/account.ts'
import { memberDefinition } from '../../../src/accounts/definition/member.ts'
import {
  appCodeKind,
  codeBody,
  codeKind,
  linkBody,
  signInBody,
} from '../../../src/accounts/definition/sign-in.ts'
import {
  newUserDefinition,
  ownPasswordDefinition,
  preferencesDefinition,
  userDefinition,
} from '../../../src/accounts/definition/user.ts'
import { periodFields } from '../../../src/fields/budget-fields.ts'
import {
  type Changer,
  type Definition,
  editSchema,
  newSchema,
  partFor,
} from '../../../src/fields/definition.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import {
  addressesKind,
  emailKind,
  givenPasswordKind,
  groupsKind,
  instantKind,
  passwordKind,
  singleAddressKind,
} from '../../../src/fields/kinds.ts'
import { limitNames } from '../../../src/fields/limit-fields.ts'
import { writtenToWire } from '../../../src/fields/written-to-wire.ts'
import {
  creditAmountKind,
  creditDefinition,
  grantAmountKind,
} from '../../../src/ledger/definition/credit.ts'

const half = '\ud800'

/** Values that each kind accepts, and the codes with which it refuses others. */
const table: [name: string, schema: z.ZodType, good: unknown[], bad: [string, unknown[]][]][] = [
  [
    'an email',
    emailKind.wire,
    ['a@b', ' A@b '],
    [
      [
        'email_wrong',
        ['', 'a', '@', 'a b@c', 'a@b\nc@d', 'a\0@b', `${'x'.repeat(260)}@y`, 1, null],
      ],
    ],
  ],
  [
    'a new password',
    passwordKind.wire,
    ['x'.repeat(12), 'x'.repeat(256), '  spaces and lines \n '],
    [
      ['password_short', ['', 'x'.repeat(11)]],
      ['password_long', ['x'.repeat(257)]],
      ['text_plain', [`${'x'.repeat(12)}\0`, `${'x'.repeat(12)}${half}`]],
      ['text_wrong', [null, 123_456_789_012]],
    ],
  ],
  [
    'an existing password',
    givenPasswordKind.wire,
    ['x', 'x'.repeat(256)],
    [['text_long', ['', 'x'.repeat(257)]]],
  ],
  [
    'addresses',
    addressesKind.wire,
    [[], ['10.0.0.0/8', '::1', '2001:db8::/32']],
    [
      ['address_wrong', [['10.0.0.256'], ['a']]],
      ['list_long', [Array(101).fill('::1'), ['::1', '::1']]],
    ],
  ],
  [
    'one address',
    singleAddressKind.wire,
    ['10.0.0.1', '::1', '2001:db8::1', '::ffff:10.0.0.1'],
    [['single_address_wrong', ['10.0.0.0/8', '10.0.0.1/32', '::1/128', '10.0.0.256', 'a', '']]],
  ],
  [
    'groups',
    groupsKind.wire,
    [['a'], ['a', 'b']],
    [
      ['groups_none', [[]]],
      ['groups_many', [['a', 'a'], Array(21).fill('x')]],
    ],
  ],
  [
    'a credit',
    creditAmountKind.wire,
    ['1', '-1', '1000000000000000000', '-1000000000000000000'],
    [
      ['amount_zero', ['0', '-0']],
      ['nano_wrong', ['', 'x', '1.5', '+1', '01', '--1', '1000000000000000001', 1]],
    ],
  ],
  [
    'a written credit',
    creditAmountKind.written,
    ['5', '5.00', '-5.00', '−5', ' - 0.000000001', 5, '1000000000', '-1e9'],
    [
      ['amount_zero', ['0', '-0.00', 0]],
      ['credit_wrong', ['', 'x', '1,5', '0.0000000001', '1000000000.1', '-1e10', null]],
    ],
  ],
  [
    'a written grant',
    grantAmountKind.written,
    ['5', '0.000000001'],
    [
      ['amount_zero', ['0', '0.00']],
      ['amount_wrong', ['-5', 'much']],
    ],
  ],
  [
    'a written instant',
    instantKind.written,
    ['2027-01-01', '1970-01-01', '2027-01-01T00:00:00.001+02:00', '+275760-09-12T00:00:00.000Z'],
    [['instant_wrong', ['', '1969-12-31', '+275760-09-13', '-000001-01-01', '12027-01-01', 2027]]],
  ],
  [
    'a code of an app',
    appCodeKind.wire,
    ['123456', '123 456', ' 12 34 56 '],
    [['app_code_wrong', ['', '12345', '1234567', 'abcd-efgh-ijkl-mnop', '１２３４５６']]],
  ],
  [
    'a code',
    codeKind.wire,
    [
      '123456',
      '123 456',
      ' 12 34 56 ',
      'abcd-efgh-ijkl-mnop',
      'ABCD EFGH IJKL MNOP',
      'abcdefghijkl',
    ],
    [['code_wrong', ['', '12345', 'abcdefg', '1234567', 'abcd-efgh-ijkl-mno1', '１２３４５６']]],
  ],
  [
    'the accounts of a user',
    userDefinition.fields.accounts.kind.wire,
    [[], [{ id: 'a', role: 'viewer' }], [{ id: 'a', name: 'A', role: 'owner' }]],
    [
      [
        'accounts_many',
        [
          [
            { id: 'a', role: 'owner' },
            { id: 'a', role: 'viewer' },
          ],
        ],
      ],
      ['word_wrong', [[{ id: 'a', role: 'admin' }]]],
      ['list_wrong', [null, {}]],
    ],
  ],
]

for (const [name, schema, good, bad] of table) {
  describe(name, () => {
    for (const value of good) {
      test(`accepts ${JSON.stringify(value).slice(0, 40)}`, () => {
        expect(findProblem(schema, value)).toBeUndefined()
      })
    }
    for (const [code, values] of bad) {
      for (const value of values) {
        test(`${code}: ${JSON.stringify(value).slice(0, 40)}`, () => {
          expect(findProblem(schema, value)?.problem).toBe(code as never)
        })
      }
    }
  })
}

test('a written value is converted exactly to the form of the APIs', () => {
  expect(writtenToWire(creditAmountKind, '−0.000000001')).toBe('-1')
  expect(writtenToWire(creditAmountKind, '0')).toBeUndefined()
  expect(emailKind.wire.parse(' Ann@Example.com ')).toBe('ann@example.com')
})

const budgets = Object.keys(periodFields({ by: 'operator' }))

describe('the fields that each role may change', () => {
  const rows: [Definition, Changer, string[]][] = [
    [accountDefinition, 'self', []],
    [accountDefinition, 'member', []],
    [accountDefinition, 'owner', ['name']],
    [
      accountDefinition,
      'operator',
      ['id', 'name', 'status', 'endsAt', 'totalNano', ...budgets, ...limitNames, ...newMemberNames],
    ],
    [memberDefinition, 'member', []],
    [memberDefinition, 'owner', ['email', 'role', 'totalNano', ...budgets, ...limitNames]],
    [userDefinition, 'owner', []],
    [preferencesDefinition, 'self', ['language', 'theme']],
  ]
  test.each(rows)('%j by %s', (definition, who, names) => {
    expect(Object.keys(partFor(definition, who).fields)).toEqual(names)
  })

  test('an edit of an account accepts neither its id nor credit', () => {
    const edit = editSchema(newAccountDefinition)
    expect(findProblem(edit, { id: 'a' })?.problem).toBe('member_unknown')
    expect(findProblem(edit, { creditNano: '1' })?.problem).toBe('member_unknown')
    expect(edit.parse({ endsAt: null })).toEqual({ endsAt: null })
  })
})

describe('the API description matches the checks', () => {
  const shapeOf = (schema: z.ZodType) =>
    z.toJSONSchema(schema, { io: 'input' }) as {
      properties: Record<string, Record<string, unknown>>
      required?: string[]
      additionalProperties?: boolean
    }

  test.each([
    ['new account', newSchema(newAccountDefinition), ['id', 'name']],
    ['edit of an account', editSchema(accountDefinition), undefined],
    ['new member', newSchema(memberDefinition), ['email', 'role']],
    ['new user', newSchema(newUserDefinition), ['email']],
    ['credit', newSchema(creditDefinition), ['amountNano', 'reason', 'externalId']],
    ['password', newSchema(ownPasswordDefinition), ['password']],
    ['sign-in', signInBody, ['email', 'password']],
    ['link', linkBody, ['token']],
    ['code', codeBody, ['code']],
  ])('%s: the required members, and no others', (_, schema, required) => {
    const shape = shapeOf(schema)
    expect(shape.required).toEqual(required as string[])
    expect(shape.additionalProperties).toBe(false)
    // Text is bounded by a pattern, a length or a list of words.
    for (const [name, property] of Object.entries(shape.properties)) {
      const branches = (property['anyOf'] as Record<string, unknown>[] | undefined) ?? [property]
      for (const branch of branches.filter(({ type }) => type === 'string')) {
        const isBounded = 'pattern' in branch || 'allOf' in branch || 'enum' in branch
        expect([name, isBounded || 'maxLength' in branch]).toEqual([name, true])
      }
    }
  })

  test('limits, patterns and words', () => {
    const { amountNano } = shapeOf(newSchema(creditDefinition)).properties
    expect(amountNano?.['pattern']).toBe('^-?(?:[1-9]\\d{0,17}|10{18})$')
    const { password } = shapeOf(newSchema(ownPasswordDefinition)).properties
    expect(password).toMatchObject({ minLength: 12, maxLength: 256 })
    const { role } = shapeOf(newSchema(newUserDefinition)).properties
    expect(role).toMatchObject({ enum: ['member', 'admin'], default: 'member' })
  })
})

test('an instant that is too late for a date is written as the last one', () => {
  expect(instantKind.wire.safeParse(8_640_000_000_000_000).success).toBe(false)
  expect(instantKind.write?.(8_640_000_000_000_001)).toBe('+275760-09-13T00:00:00.000Z')
})
