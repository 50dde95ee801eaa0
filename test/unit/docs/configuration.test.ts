import { describe, expect, test } from 'bun:test'
import { provisionedUserDefinition } from '../../../src/accounts/definition/user.ts'
import { grantFields } from '../../../src/catalog/definition/group.ts'
import { routeDefinition } from '../../../src/catalog/definition/route.ts'
import {
  credentialDefinition,
  upstreamDefinition,
} from '../../../src/catalog/definition/upstream.ts'
import { configFileSetting, settings } from '../../../src/config/settings.ts'
import { type Fields, writtenName } from '../../../src/fields/definition.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { refusalOf } from '../config/load-text.ts'
import { readDocument, sectionOf, tableRows } from './table-rows.ts'

const document = readDocument('docs/configuration.md')

describe('docs/configuration.md, settings', () => {
  const rows = tableRows(sectionOf(document, '## Settings'))

  test.each(Object.values(settings))(
    '$name',
    ({ name, variable, flag, placeholder, byDefault, kind }) => {
      const absent = byDefault === undefined || byDefault === ''
      expect(rows.get(name)?.slice(0, 3)).toEqual([
        `\`${variable}\``,
        `\`--${flag} ${placeholder}\``,
        absent ? 'none' : `\`${byDefault}\``,
      ])
      expect(rows.get(name)?.[3]).not.toBe('')
      for (const each of kind.documented ?? []) expect(rows.get(name)?.[3]).toContain(each)
    },
  )

  test('describes no setting that does not exist', () => {
    const names = Object.values(settings).map(({ name }) => name)
    expect([...rows.keys()]).toEqual(names)
  })

  test('describes the path of the file itself', () => {
    const { variable, flag, placeholder, byDefault } = configFileSetting
    for (const text of [variable, `--${flag} ${placeholder}`, byDefault])
      expect(document).toContain(`\`${text}\``)
  })
})

/** The minimal entry of each list, so that only the unknown field is wrong. */
const leastEntries: readonly (readonly [heading: string, text: string])[] = [
  ['provision.groups', 'groups: [{ id: a, xxxxxxxxxxxx: 1 }]'],
  ['provision.models', 'models: [{ id: a, xxxxxxxxxxxx: 1 }]'],
  [
    'provision.models[].price',
    'models: [{ id: a, price: { input: 1, output: 1, xxxxxxxxxxxx: 1 } }]',
  ],
  [
    'provision.models[].price.features',
    'models: [{ id: a, price: { input: 1, output: 1, features: { xxxxxxxxxxxx: 1 } } }]',
  ],
  ['provision.upstreams', 'upstreams: [{ id: a, vendor: openai, models: [], xxxxxxxxxxxx: 1 }]'],
  [
    'provision.upstreams[].timeouts',
    'upstreams: [{ id: a, vendor: openai, models: [], timeouts: { xxxxxxxxxxxx: 1 } }]',
  ],
  [
    'provision.upstreams[].parameters',
    'upstreams: [{ id: a, vendor: openai, models: [], parameters: { xxxxxxxxxxxx: 1 } }]',
  ],
  ['provision.accounts', 'accounts: [{ id: a, xxxxxxxxxxxx: 1 }]'],
  ['provision.users', 'users: [{ email: a@example.com, xxxxxxxxxxxx: 1 }]'],
  ['provision.keys', 'keys: [{ id: a, account: a, xxxxxxxxxxxx: 1 }]'],
  ['provision.alerts', 'alerts: [{ id: a, channel: email, kinds: [credit_low], xxxxxxxxxxxx: 1 }]'],
]

describe('docs/configuration.md, provisioning', () => {
  test.each(leastEntries)('the fields of %s are those that the loader knows', (heading, text) => {
    const refusal = refusalOf({ text: `provision: { ${text} }` })
    const known = /the valid names are (.+)\.$/.exec(refusal)?.[1]?.split(', ') ?? [refusal]
    const described = [...tableRows(sectionOf(document, `### ${heading}`)).keys()]
    expect(described.toSorted()).toEqual(known.toSorted())
  })
})

/** The lists and objects inside an entry that have no table of their own: their row names every member. */
const inside: readonly (readonly [heading: string, row: string, Fields])[] = [
  ['provision.groups', 'accounts', grantFields],
  ['provision.upstreams', 'credentials', credentialDefinition.fields],
  ['provision.upstreams', 'models', routeDefinition.fields],
  ['provision.upstreams', 'probe', fieldsOf(upstreamDefinition.fields.probe.kind)],
  ['provision.users', 'accounts', fieldsOf(provisionedUserDefinition.fields.accounts.kind)],
  ['provision.keys', 'modelLimits', fieldsOf(keyDefinition.fields.modelLimits.kind)],
]

function fieldsOf(kind: object): Fields {
  if ('fields' in kind) return kind.fields as Fields
  return 'each' in kind ? fieldsOf(kind.each as object) : {}
}

describe('docs/configuration.md, objects inside an entry', () => {
  test.each(inside)('%s: %s', (heading, row, fields) => {
    const names = Object.entries(fields).flatMap(([name, field]) => writtenName(name, field) ?? [])
    expect(names.length).toBeGreaterThan(1)
    const text =
      tableRows(sectionOf(document, `### ${heading}`))
        .get(row)
        ?.join(' ') ?? ''
    const code = [...text.matchAll(/`([^`]+)`/g)].map(([, each = '']) => each).join(' ')
    const missing = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))
    expect(missing).toEqual([])
  })
})
