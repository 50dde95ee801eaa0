import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { accountDefinition } from '../../../src/accounts/definition/account.ts'
import { memberDefinition } from '../../../src/accounts/definition/member.ts'
import { userDefinition } from '../../../src/accounts/definition/user.ts'
import { groupDefinition } from '../../../src/catalog/definition/group.ts'
import { modelDefinition } from '../../../src/catalog/definition/model.ts'
import { priceDefinition } from '../../../src/catalog/definition/price.ts'
import { routeDefinition } from '../../../src/catalog/definition/route.ts'
import {
  credentialDefinition,
  upstreamDefinition,
} from '../../../src/catalog/definition/upstream.ts'
import { accountMember } from '../../../src/console-api/contract/account.ts'
import { groupRow, modelRow } from '../../../src/console-api/contract/catalog.ts'
import { keyRow } from '../../../src/console-api/contract/keys.ts'
import { priceTable } from '../../../src/console-api/contract/models.ts'
import { accountRow, userRow } from '../../../src/console-api/contract/people.ts'
import {
  credentialRow,
  routeRow,
  upstreamDetail,
  upstreamSettings,
} from '../../../src/console-api/contract/upstreams.ts'
import {
  type Definition,
  define,
  newSchema,
  optional,
  shownShape,
  toWire,
  unquotedNames,
  writtenName,
} from '../../../src/fields/definition.ts'
import { enumKind, orNull, shownOf } from '../../../src/fields/kind.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { repeats } from '../../support/repeats.ts'
import { allDefinitions } from './all-definitions.ts'
import { arbitraryOf, type JsonSchema } from './arbitrary-of.ts'

test('there are definitions', () => {
  expect(allDefinitions.length).toBeGreaterThan(20)
})

describe.each(allDefinitions)('the response schema of %s', (_, definition) => {
  const shown = z.strictObject(shownShape(definition.fields))

  test('has all fields except secret ones, with descriptions', () => {
    const told = z.toJSONSchema(shown, { io: 'input' }) as JsonSchema
    const open = Object.entries(definition.fields).filter(([, { isSecret }]) => isSecret !== true)
    expect(Object.keys(told.properties ?? {})).toEqual(open.map(([name]) => name))
    for (const [name, { about }] of open) {
      expect(told.properties?.[name]?.description).toBe(about)
    }
  })

  const given = z.toJSONSchema(newSchema(definition), { io: 'input' }) as JsonSchema
  const open = Object.entries(definition.fields).filter(([, { isSecret }]) => isSecret !== true)
  test.each(open)('accepts every value of %s', (name, { kind }) => {
    fc.assert(
      fc.property(arbitraryOf(given.properties?.[name] ?? {}), (wire) => {
        const read = kind.wire.safeParse(wire)
        if (!read.success) return
        const row = kind.show(read.data) as unknown
        expect(shownOf(kind).parse(row)).toEqual(row)
      }),
      { numRuns: repeats(20) },
    )
  })
})

test.each(allDefinitions)(
  'no object inside %s has a secret, which would be shown',
  (_, { fields }) => {
    const own = Object.entries(fields).flatMap(([name, field]) =>
      field.isSecret || field.isUnquoted ? [writtenName(name, field) ?? name] : [],
    )
    // Headers of requests are shown to operators.
    const inside = unquotedNames(fields).filter((name) => !own.includes(name) && name !== 'headers')
    expect(inside).toEqual([])
  },
)

test('a row that a newer rule would refuse is still shown', () => {
  const row = {
    ...toWire(keyDefinition, newSchema(keyDefinition).parse({ accountId: 'a', name: 'n' })),
  }
  const old = {
    ...row,
    accountId: 'not an id!',
    name: 'x'.repeat(1_000),
    groups: [],
    models: ['', ''],
  }
  expect(z.strictObject(shownShape(keyDefinition.fields)).parse(old)).toEqual(old)
})

/** Fields that a row of the contract lacks are in the given part of the response. */
const rows: [string, Definition, z.ZodObject, ...z.ZodObject[]][] = [
  ['key', keyDefinition, keyRow],
  ['group', groupDefinition, groupRow],
  ['model', modelDefinition, modelRow],
  ['price', priceDefinition, priceTable],
  ['upstream', upstreamDefinition, upstreamSettings, upstreamDetail],
  ['credential', credentialDefinition, credentialRow],
  ['route', routeDefinition, routeRow],
  ['account', accountDefinition, accountRow],
  ['user', userDefinition, userRow],
  ['member', memberDefinition, accountMember],
]

test.each(rows)(
  'the answer about a %s has every field of its definition',
  (_, { fields }, ...parts) => {
    const told = parts.flatMap((part) => Object.keys(part.shape))
    for (const [name, { isSecret }] of Object.entries(fields)) {
      expect([name, told.includes(name)]).toEqual([name, isSecret !== true])
    }
  },
)

test('a field that is added to a definition is in its answers', () => {
  const region = optional(orNull(enumKind(['eu', 'us'])), null, { about: 'Where.', by: 'owner' })
  const imagined = define('key', { ...keyDefinition.fields, region })
  const shown = z.strictObject(shownShape(imagined.fields))
  const row = toWire(
    imagined,
    newSchema(imagined).parse({ accountId: 'a', name: 'n', region: 'eu' }),
  )
  expect(shown.parse(row).region).toBe('eu')
  expect(shown.safeParse({ ...row, region: undefined }).success).toBe(false)
})
