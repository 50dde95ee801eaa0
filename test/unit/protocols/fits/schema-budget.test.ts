import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { schemaForClaude } from '../../../../src/protocols/schema/schema-for-claude.ts'
import { schemaForGemini } from '../../../../src/protocols/schema/schema-for-gemini.ts'
import { schemaFromGemini } from '../../../../src/protocols/schema/schema-from-gemini.ts'
import {
  SchemaNodes,
  type SchemaWork,
  schemaNodesMax,
} from '../../../../src/protocols/schema/schema-work.ts'
import { satisfiesStrict } from '../../../../src/protocols/schema/strict-schema.ts'
import { schemaBombs } from './schema-bombs.ts'
import { schemaWork } from './schema-work.ts'

/** All functions that read or write a schema. */
const forms: Readonly<Record<string, (text: string, work: SchemaWork) => string>> = {
  'for Gemini, JSON': (text, work) => schemaForGemini(text, 'json', work),
  'for Gemini, classic form': (text, work) => schemaForGemini(text, 'classic', work),
  'from Gemini': schemaFromGemini,
  'for messages': schemaForClaude,
  'checked for strictness': (text, work) => String(satisfiesStrict(text, work)),
}

/** The length of the result; undefined for a refusal with an advice. */
function lengthOf(work: () => string): number | undefined {
  try {
    return work().length
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    expect(error.status).toBe(400)
    expect(error.details.param).toBe('tools')
    expect(error.message).toContain('too large to translate')
    return undefined
  }
}

/** A single value may exceed the limit, and is counted before it is processed. */
const charactersPerNode = 64

describe.each(Object.keys(forms))('a schema %s', (form) => {
  const change = forms[form] ?? schemaFromGemini
  test.each(Object.keys(schemaBombs))('%s: refused, or written within the nodes', (name) => {
    const text = JSON.stringify(schemaBombs[name])
    const nodes = new SchemaNodes()
    const length = lengthOf(() => change(text, schemaWork(nodes)))
    if (length === undefined) {
      // A chain is refused for its depth, long before its nodes are counted.
      if (!name.startsWith('a chain')) expect(nodes.spent).toBeGreaterThan(schemaNodesMax)
    } else {
      expect(nodes.spent).toBeLessThanOrEqual(schemaNodesMax)
      // The written size is bounded by the count.
      expect(length).toBeLessThan(nodes.spent * 2 * charactersPerNode)
    }
  })

  test('schemas that fit alone do not fit a hundred times', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string' }]),
    )
    const text = JSON.stringify({ type: 'object', properties })
    const nodes = new SchemaNodes()
    expect(lengthOf(() => change(text, schemaWork(nodes)))).toBeDefined()
    let count = 1
    while (lengthOf(() => change(text, schemaWork(nodes))) !== undefined) count += 1
    expect(count).toBeGreaterThan(10)
    expect(count).toBeLessThan(schemaNodesMax / 500)
  })
})

test('a recursive schema is not a bomb: the reference stays, or ends in an open object', () => {
  const node = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      children: {
        type: 'array',
        items: { allOf: [{ $ref: '#/$defs/node' }, { description: 'A child.' }] },
      },
    },
  }
  const text = JSON.stringify({ $ref: '#/$defs/node', $defs: { node } })
  for (const form of ['json', 'classic'] as const) {
    const nodes = new SchemaNodes()
    expect(schemaForGemini(text, form, schemaWork(nodes)).length).toBeLessThan(2_000)
    expect(nodes.spent).toBeLessThan(500)
  }
})
