import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { enLate } from '../../../console/src/i18n/en-late.ts'
import {
  accountDefinition,
  newAccountDefinition,
} from '../../../src/accounts/definition/account.ts'
import { memberDefinition } from '../../../src/accounts/definition/member.ts'
import { provisionedUserDefinition, userDefinition } from '../../../src/accounts/definition/user.ts'
import { tokenDefinition } from '../../../src/admin-tokens/definition/token.ts'
import { alertDefinition } from '../../../src/alerts/definition/alert.ts'
import { groupDefinition } from '../../../src/catalog/definition/group.ts'
import {
  modelDefinition,
  newPriceDefinition,
  provisionedModelDefinition,
} from '../../../src/catalog/definition/model.ts'
import { priceDefinition } from '../../../src/catalog/definition/price.ts'
import { routeDefinition } from '../../../src/catalog/definition/route.ts'
import {
  credentialDefinition,
  newUpstreamDefinition,
  upstreamDefinition,
} from '../../../src/catalog/definition/upstream.ts'
import { commands } from '../../../src/cli/command-list.ts'
import { definedOptions, readOptions } from '../../../src/cli/defined-options.ts'
import { definedEntry } from '../../../src/config/defined-entry.ts'
import { periodFields, totalField } from '../../../src/fields/budget-fields.ts'
import {
  type Definition,
  define,
  editSchema,
  newSchema,
  optional,
  putSchema,
  shownShape,
  toWritten,
} from '../../../src/fields/definition.ts'
import { problemOf } from '../../../src/fields/find-problem.ts'
import { enumKind, orNull } from '../../../src/fields/kind.ts'
import { limitFields } from '../../../src/fields/limit-fields.ts'
import { keyDefinition, newKeyDefinition } from '../../../src/keys/definition/key.ts'

/* Like `imaginary-field.test.ts` for keys, for every definition: a new field is used everywhere at once. */

const region = optional(orNull(enumKind(['eu', 'us'])), null, {
  about: 'Where it may be served; not given: anywhere.',
  by: 'operator',
})
const secrets = { read: (text: string) => ({ value: text }), hasSeenLiteral: false }

const definitions: readonly Definition[] = [
  groupDefinition,
  provisionedModelDefinition,
  newPriceDefinition,
  priceDefinition,
  newUpstreamDefinition,
  upstreamDefinition,
  credentialDefinition,
  routeDefinition,
  newAccountDefinition,
  memberDefinition,
  userDefinition,
  provisionedUserDefinition,
  keyDefinition,
  tokenDefinition,
  alertDefinition,
]

/** As the console shows them, without the members that only a file or a creation has. */
const shown = [
  ...definitions.filter(
    (each) => each !== provisionedModelDefinition && each !== newAccountDefinition,
  ),
  modelDefinition,
  accountDefinition,
]
test.each(shown.map((each) => [each.name, each] as const))(
  'every field of a %s has a name in the console',
  (_name, { fields }) => {
    expect(Object.keys(fields).filter((name) => !(`field.${name}` in enLate))).toEqual([])
  },
)

describe.each(definitions.map((each) => [each.name, each] as const))(
  'a field that is added to the definition of a %s is',
  (_name, definition) => {
    const imagined = define(definition.name, { ...definition.fields, region })
    const wrongOf = (schema: z.ZodType, given: object) =>
      (schema.safeParse(given).error?.issues ?? [])
        .map(problemOf)
        .filter(({ path }) => path[0] === 'region')

    test('in the file, and in an export', () => {
      const entry = definedEntry(imagined, {}, secrets)
      expect(wrongOf(entry, { region: 'moon' })).toMatchObject([{ problem: 'word_wrong' }])
      expect(wrongOf(entry, { region: 'eu' })).toEqual([])
      expect(toWritten(imagined, { region: 'eu' } as never)).toMatchObject({ region: 'eu' })
      expect(toWritten(imagined, { region: null })).toMatchObject({ region: 'none' })
    })

    test('on the command line', () => {
      expect(definedOptions(imagined)['region']).toMatchObject({ description: region.about })
      const call = { text: (name: string) => (name === 'region' ? 'moon' : undefined) }
      const typed = { ...call, list: () => undefined } as never
      expect(() => readOptions(imagined, 'things create', typed)).toThrow('--region must be one of')
    })

    test('in the bodies of the API, in its answers, and in their description', () => {
      for (const schema of [newSchema(imagined), editSchema(imagined), putSchema(imagined)]) {
        expect(wrongOf(schema, { region: 'moon' })).toMatchObject([{ problem: 'word_wrong' }])
        expect(wrongOf(schema, { region: 'us' })).toEqual([])
        const { properties } = z.toJSONSchema(schema, { io: 'input' })
        expect(properties?.['region']).toMatchObject({ description: region.about })
      }
      expect(Object.keys(shownShape(imagined.fields))).toContain('region')
    })
  },
)

describe('a command that creates a resource accepts every field of it', () => {
  test.each([
    ['keys create', newKeyDefinition, [], []],
    ['accounts create', newAccountDefinition, ['id'], ['idempotency-key', 'yes']],
    ['tokens create', tokenDefinition, [], []],
    ['alerts create', alertDefinition, [], []],
  ] as const)('%s', (name, definition, positionals, others) => {
    const command = commands.find((each) => each.name === name)
    const wanted = Object.keys(definedOptions(definition)).filter(
      (option) => !positionals.some((each) => each === option),
    )
    expect(Object.keys(command?.options ?? {}).toSorted()).toEqual(
      [...wanted, ...others].toSorted(),
    )
  })
})

/** The fields that `DefinedFields` shows in a form. */
const definedFields = Object.keys({
  ...totalField({ by: 'operator' }),
  ...periodFields({ by: 'operator' }),
  ...limitFields('operator'),
})

/** The files of each form of the console. The form of a key has an editor for every field automatically. */
const forms: readonly (readonly [Definition, readonly string[]])[] = [
  [groupDefinition, ['operator/groups/group-form.tsx', 'operator/groups/fallback-fields.tsx']],
  [modelDefinition, ['operator/catalog/model-form.tsx']],
  [newPriceDefinition, ['operator/catalog/new-price-form.tsx']],
  [priceDefinition, ['operator/catalog/price-values.ts']],
  [
    newUpstreamDefinition,
    [
      'operator/upstreams/upstream-form.tsx',
      'operator/upstreams/upstream-values.ts',
      'operator/upstreams/upstream-switch.tsx',
    ],
  ],
  [
    credentialDefinition,
    ['operator/upstreams/credential-form.tsx', 'operator/upstreams/credential-list.tsx'],
  ],
  [routeDefinition, ['operator/upstreams/route-form.tsx']],
  [
    newAccountDefinition,
    ['operator/people/account-form.tsx', 'operator/people/suspend-account.tsx'],
  ],
  [memberDefinition, ['account/add-member.tsx', 'account/member-limits.tsx']],
  [userDefinition, ['operator/people/user-form.tsx']],
  [tokenDefinition, ['tokens/token-form.tsx']],
  [alertDefinition, ['alerts/alert-form.tsx', 'alerts/alert-values.ts']],
]

describe('a form of the console has every field', () => {
  test.each(forms.map(([definition, files]) => [definition.name, definition, files] as const))(
    '%s',
    (_name, { fields }, files) => {
      const texts = files.map((file) =>
        readFileSync(new URL(`../../../console/src/${file}`, import.meta.url), 'utf8'),
      )
      const missing = Object.keys(fields).filter(
        (name) =>
          !texts.some(
            (text) =>
              new RegExp(`\\b${name}\\b`).test(text) ||
              (text.includes('<DefinedFields') && definedFields.includes(name)),
          ),
      )
      expect(missing).toEqual([])
    },
  )
})
