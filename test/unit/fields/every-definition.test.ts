import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { enLazy } from '../../../console/src/i18n/en-lazy.ts'
import {
  accountDefinition,
  newAccountDefinition,
  newMemberNames,
} from '../../../src/accounts/definition/account.ts'
import { memberDefinition, newMemberDefinition } from '../../../src/accounts/definition/member.ts'
import { newUserDefinition } from '../../../src/accounts/definition/user.ts'
import { tokenDefinition } from '../../../src/admin-tokens/definition/token.ts'
import { alertDefinition } from '../../../src/alerts/definition/alert.ts'
import { commands } from '../../../src/cli/command-list.ts'
import { definedOptions, readOptions } from '../../../src/cli/defined-options.ts'
import { definedEntry } from '../../../src/config/defined-entry.ts'
import { periodFields, totalField } from '../../../src/fields/budget-fields.ts'
import {
  type AnyField,
  define,
  editSchema,
  newSchema,
  optional,
  putSchema,
  shownShape,
  toWritten,
  without,
} from '../../../src/fields/definition.ts'
import { problemOf } from '../../../src/fields/find-problem.ts'
import { enumKind, orNull } from '../../../src/fields/kind.ts'
import { limitFields } from '../../../src/fields/limit-fields.ts'
import { keyDefinition, newKeyDefinition } from '../../../src/keys/definition/key.ts'
import { creditDefinition } from '../../../src/ledger/definition/credit.ts'
import { allDefinitions } from './all-definitions.ts'

/* Like `imaginary-field.test.ts` for keys, for every definition: a new field is used everywhere at once. */

const region = optional(orNull(enumKind(['eu', 'us'])), null, {
  about: 'Where it may be served; not given: anywhere.',
  by: 'operator',
})
const secrets = { read: (text: string) => ({ value: text }), hasSeenLiteral: false }

/** The console names no fields that only the file or a larger answer has. */
const unnamed = ['provisionedModelDefinition', 'provisionedUserDefinition', 'newAccountDefinition']
const named = allDefinitions.filter(([name]) => !unnamed.includes(name))
test.each(named)('every field of %s has a name in the console', (_name, { fields }) => {
  expect(Object.keys(fields).filter((name) => !(`field.${name}` in enLazy))).toEqual([])
})

describe.each(allDefinitions)('a field that is added to %s is', (_name, definition) => {
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
})

describe('a command that creates a resource accepts every field of it', () => {
  test.each([
    ['keys create', newKeyDefinition, [], []],
    ['accounts create', newAccountDefinition, ['id'], ['idempotency-key', 'yes']],
    ['tokens create', tokenDefinition, [], []],
    ['alerts create', alertDefinition, [], []],
    ['users create', newUserDefinition, ['email'], []],
    ['members add', newMemberDefinition, ['email'], ['file']],
    ['accounts credit', creditDefinition, ['amount'], ['idempotency-key', 'yes']],
    ['accounts correct', creditDefinition, ['amount'], ['idempotency-key', 'yes']],
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

describe('a command that changes a resource accepts every field of it', () => {
  test.each([
    ['keys update', keyDefinition],
    ['accounts update', accountDefinition],
    ['alerts update', alertDefinition],
    ['members limit', without(memberDefinition, ['role'])],
  ] as const)('%s', (name, { name: of, fields }) => {
    const command = commands.find((each) => each.name === name)
    const free = Object.entries<AnyField>(fields).filter(([, { isFixed }]) => isFixed !== true)
    const wanted = Object.keys(definedOptions(define(of, Object.fromEntries(free))))
    expect(Object.keys(command?.options ?? {}).toSorted()).toEqual(wanted.toSorted())
  })
})

/** The fields that `DefinedFields` shows in a form. */
const definedFields = [
  ...Object.keys({
    ...totalField({ by: 'operator' }),
    ...periodFields({ by: 'operator' }),
    ...limitFields('operator'),
  }),
  ...newMemberNames,
]

/** The files of each form of the console. */
const forms: Readonly<Record<string, readonly string[]>> = {
  groupDefinition: ['operator/groups/group-form.tsx', 'operator/groups/fallback-fields.tsx'],
  modelDefinition: ['operator/catalog/model-form.tsx'],
  newModelDefinition: ['operator/catalog/model-form.tsx'],
  newPriceDefinition: ['operator/catalog/new-price-form.tsx'],
  priceDefinition: ['operator/catalog/price-values.ts'],
  newUpstreamDefinition: [
    'operator/upstreams/upstream-form.tsx',
    'operator/upstreams/upstream-values.ts',
    'operator/upstreams/upstream-switch.tsx',
  ],
  credentialDefinition: [
    'operator/upstreams/credential-form.tsx',
    'operator/upstreams/credential-list.tsx',
  ],
  routeDefinition: ['operator/upstreams/route-form.tsx'],
  routedModelDefinition: ['setup/model-step.tsx'],
  newAccountDefinition: ['operator/people/account-form.tsx', 'operator/people/suspend-account.tsx'],
  creditDefinition: ['operator/people/credit-part.tsx'],
  memberDefinition: ['account/add-member.tsx', 'account/member-limits.tsx'],
  userDefinition: ['operator/people/user-form.tsx'],
  ownPasswordDefinition: ['parts/forms/password-form.tsx'],
  preferencesDefinition: ['account/account-page.tsx', 'shell/language-menu.tsx'],
  tokenDefinition: ['tokens/token-form.tsx'],
  alertDefinition: ['alerts/alert-form.tsx', 'alerts/alert-values.ts'],
  recordingPolicyDefinition: ['recording/recording-form.tsx'],
}

/** Definitions without a form of their own, and why. */
const formless: Readonly<Record<string, string>> = {
  keyDefinition: 'the form of a key has an editor for every field automatically',
  newKeyDefinition: 'the same; only the command line and the file set a value',
  accountDefinition: 'a part of newAccountDefinition',
  ownAccountDefinition: 'a part of newAccountDefinition',
  upstreamDefinition: 'a part of newUpstreamDefinition',
  memberLimitsDefinition: 'a part of memberDefinition',
  newMemberDefinition: 'the same fields as memberDefinition',
  newUserDefinition: 'a part of userDefinition',
  provisionedUserDefinition: 'only the file has it',
  provisionedModelDefinition: 'only the file has it',
  routesDefinition: 'a list of routeDefinition',
}

describe('a form of the console has every field', () => {
  test.each(allDefinitions.filter(([name]) => formless[name] === undefined))(
    '%s',
    (name, { fields }) => {
      const texts = (forms[name] ?? []).map(codeOf)
      const missing = Object.keys(fields).filter(
        (field) =>
          !texts.some(
            (text) =>
              new RegExp(`\\b${field}\\b`).test(text) ||
              (text.includes('<DefinedFields') && definedFields.includes(field)),
          ),
      )
      expect(missing).toEqual([])
    },
  )

  test('and every form belongs to a definition', () => {
    const names = allDefinitions.map(([name]) => name)
    const listed = [...Object.keys(forms), ...Object.keys(formless)]
    expect(listed.filter((name) => !names.includes(name))).toEqual([])
    expect(Object.keys(forms).filter((name) => formless[name] !== undefined)).toEqual([])
  })
})

/** The code of a file of the console, without comments and imports. */
function codeOf(file: string): string {
  const text = readFileSync(new URL(`../../../console/src/${file}`, import.meta.url), 'utf8')
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^ *\/\/.*$/gm, '')
    .replace(/^import [\s\S]*?from '.*'$/gm, '')
}
