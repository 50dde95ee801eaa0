import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { groupDefinition } from '../../../src/catalog/definition/group.ts'
import { priceDefinition } from '../../../src/catalog/definition/price.ts'
import { upstreamDefinition } from '../../../src/catalog/definition/upstream.ts'
import { definedEntry } from '../../../src/config/defined-entry.ts'
import {
  type AnyField,
  editSchema,
  newSchema,
  writtenName,
} from '../../../src/fields/definition.ts'
import { problemOf } from '../../../src/fields/find-problem.ts'
import { valueProblemTexts } from '../../../src/fields/problems.ts'
import { repeats } from '../../support/repeats.ts'
import { allDefinitions } from './all-definitions.ts'
import { arbitraryOf, type JsonSchema } from './arbitrary-of.ts'

const definitions = allDefinitions.map(([, definition]) => definition)

const fields = definitions.flatMap((definition) =>
  Object.entries(definition.fields).map(
    ([name, field]) => [`${definition.name}.${name}`, field, name, definition] as const,
  ),
)

const jsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }) as JsonSchema
const secrets = { read: (value: string) => ({ value }), hasSeenLiteral: false }

describe.each(definitions.map((definition) => [definition.name, definition] as const))(
  'the definition of a %s',
  (_, definition) => {
    const names = Object.keys(definition.fields)

    test('is described completely to other programs, and nothing else is accepted', () => {
      const made = jsonSchema(newSchema(definition))
      expect(Object.keys(made.properties ?? {})).toEqual(names)
      expect(made.additionalProperties).toBe(false)
      const changed = names.filter((name) => definition.fields[name]?.isFixed !== true)
      const edit = jsonSchema(editSchema(definition))
      expect(Object.keys(edit.properties ?? {})).toEqual(changed)
      expect(edit.required ?? []).toEqual([])
    })

    test('requires exactly the fields without a default', () => {
      const isAsked = (field: AnyField | undefined) =>
        field !== undefined && !('initial' in field || 'isMaybe' in field)
      const wanted = names.filter((name) => isAsked(definition.fields[name]))
      expect(jsonSchema(newSchema(definition)).required ?? []).toEqual(wanted)
    })

    test('has a name in the file for every field, or declares that there is none', () => {
      const written = Object.entries(definition.fields).flatMap(
        ([name, field]) => writtenName(name, field) ?? [],
      )
      expect(new Set(written).size).toBe(written.length)
      const reading = definedEntry(definition, {}, secrets).safeParse({ 'no such name': 1 })
      const said = JSON.stringify(reading.error?.issues)
      expect(said).toContain('no such name')
      for (const name of written) {
        const known = definedEntry(definition, {}, secrets).safeParse({ [name]: Symbol('x') })
        expect(JSON.stringify(known.error?.issues ?? [])).not.toContain('unrecognized_keys')
      }
    })

    test('refers only to fields that it has', () => {
      for (const { sameAs } of Object.values(definition.fields)) {
        if (sameAs !== undefined) expect(names).toContain(sameAs)
      }
    })
  },
)

describe.each(fields)('%s', (_, field, name, definition) => {
  const { kind } = field

  test('is described', () => {
    expect(field.about).toMatch(/^(?:[A-Z]|[a-z_-]+[:,]).*\.$/)
    expect(jsonSchema(newSchema(definition)).properties?.[name]?.description).toBe(field.about)
  })

  test('its default is valid, on the wire and in the file', () => {
    if (!('initial' in field)) return
    const { initial } = field
    expect(kind.wire.parse(kind.show(initial))).toEqual(initial)
    expect(kind.written.parse(kind.write(initial))).toEqual(initial)
  })

  test('any JSON is accepted, or refused with a code', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const schema of [kind.wire, kind.written]) {
          const reading = schema.safeParse(value)
          const [issue] = reading.error?.issues ?? []
          if (issue === undefined) continue
          const { problem, values } = problemOf(issue)
          expect(problem).not.toBe('value_wrong')
          const places = [...valueProblemTexts[problem].matchAll(/\{(\w+)\}/g)].map(
            ([, at = '']) => at,
          )
          expect(places.filter((at) => values[at] === undefined)).toEqual([])
        }
      }),
      { numRuns: repeats(100) },
    )
  })
})

/** Rules that JSON Schema cannot express: duplicates, and members that a policy may not change. */
const unsaid: readonly string[] = [
  'accounts_many',
  'accounts_twice',
  'steps_wrong',
  'fallback_self',
  'policy_own',
  'policy_object',
  'policy_cost',
  'policy_background',
  'policy_dropped',
  'policy_renamed',
  'policy_order',
  'policy_credential',
  'policy_connection',
]

test.each(fields)(
  '%s accepts everything that its description allows',
  (_, field, name, definition) => {
    const schema = jsonSchema(newSchema(definition)).properties?.[name] ?? {}
    fc.assert(
      fc.property(arbitraryOf(schema), (value) => {
        const [issue] = field.kind.wire.safeParse(value).error?.issues ?? []
        if (issue !== undefined) expect(unsaid).toContain(problemOf(issue).problem)
      }),
      { numRuns: repeats(200) },
    )
  },
)

const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----'
const tokens = {
  inputNano: '1',
  cacheReadNano: '2',
  cacheWrite5mNano: '3',
  cacheWrite1hNano: '4',
  outputNano: '5',
}
const policy = {
  rename: { a: 'b' },
  drop: ['c'],
  clamp: { d: [0, null] },
  default: { e: { f: [1] } },
  outputLimit: 'max_tokens',
  headers: { 'x-team': 'red' },
}

/** Valid values of the fields that are not plain, in the form of the APIs. */
const samples: Readonly<Record<string, readonly unknown[]>> = {
  'group.grants': [
    null,
    [],
    [
      { accountId: 'acme', until: null },
      { accountId: 'b', until: 5 },
    ],
  ],
  'group.fallbacks': [{}, { a: ['b', 'c'] }],
  'group.factor': ['0', '1', '1.5', '0.000001', '1000000'],
  'model.contextTokens': [null, 1, 1_000_000_000],
  'price.inputNano': ['0', '1', '999999999999999999', '1000000000000000000'],
  'price.features': [
    {},
    { webSearch: null, mcp: '0' },
    { webSearch: '1000000000000000', fastMode: '1000000000', audioInput: '1' },
  ],
  'price.longPrompts': [[], [{ aboveTokens: 1, ...tokens }]],
  'new model.price': [null, { ...tokens, requestNano: '0' }],
  'upstream.baseUrl': [null, 'https://api.example.com/v1'],
  'upstream.timeouts': [{}, { idleMs: 1, totalMs: 86_400_000 }],
  'upstream.ca': [null, `${pem}\n`],
  'upstream.billsOnAbort': [null, true, false],
  'upstream.probe': [null, { everyMs: 1_000, model: null }, { everyMs: 2_000, model: 'm' }],
  'upstream.parameters': [null, {}, policy],
  'upstream.proxy': [null, 'http://user:password@proxy.example.com:3128'],
  'route.parameters': [null, policy],
  'routes.routes': [[]],
}

describe.each(Object.entries(samples))('%s', (title, values) => {
  const found = fields.find(([each]) => each === title)?.[1]
  test.each(values.map((value) => [JSON.stringify(value), value]))(
    '%s survives a round trip',
    (_, value) => {
      if (!found) throw new Error(`there is no field ${title}`)
      const { wire, written, show, write } = found.kind
      const inside: unknown = wire.parse(value)
      expect(z.encode(wire, inside)).toEqual(value)
      expect(show(inside)).toEqual(value)
      if (title === 'routes.routes') return
      expect(written.parse(z.encode(written, inside))).toEqual(inside)
      expect(written.parse(write(inside))).toEqual(inside)
    },
  )
})

describe('stored values that break newer rules are shown, and not refused', () => {
  const { fields: group } = groupDefinition
  const { fields: upstream } = upstreamDefinition
  const { fields: price } = priceDefinition
  const grants = [
    { accountId: 'no id', until: null },
    { accountId: 'no id', until: -1 },
  ]
  const step = {
    aboveTokens: 0,
    inputNano: -1n,
    cacheReadNano: 0n,
    cacheWrite5mNano: 0n,
    cacheWrite1hNano: 0n,
    outputNano: 0n,
  }
  const rows: [name: string, field: AnyField, kept: unknown, shown: unknown][] = [
    ['a factor', group.factor, -1_500_000_000_000n, '-1500000'],
    ['grants', group.grants, grants, grants],
    ['fallbacks', group.fallbacks, { m: ['m'] }, { m: ['m'] }],
    ['time limits', upstream.timeouts, { idleMs: 0, totalMs: undefined }, { idleMs: 0 }],
    ['a probe', upstream.probe, { everyMs: 1, model: '' }, { everyMs: 1, model: '' }],
    [
      'parameters',
      upstream.parameters,
      { headers: { authorization: 'x' } },
      { headers: { authorization: 'x' } },
    ],
    [
      'steps',
      price.longPrompts,
      [step],
      [
        {
          aboveTokens: 0,
          inputNano: '-1',
          cacheReadNano: '0',
          cacheWrite5mNano: '0',
          cacheWrite1hNano: '0',
          outputNano: '0',
        },
      ],
    ],
  ]

  test.each(rows)('%s', (_, { kind }, kept, shown) => {
    expect(kind.wire.safeParse(shown).success).toBe(false)
    expect(kind.show(kept)).toEqual(shown)
  })
})
