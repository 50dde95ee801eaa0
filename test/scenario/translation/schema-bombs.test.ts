import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { allPairs } from '../../support/protocols/test-protocols.ts'
import { schemaBombs } from '../../unit/protocols/fits/schema-bombs.ts'

const gateway = withGateway()

interface Placed {
  /** The schema in 200 tools. */
  tools(schema: JsonObject): JsonObject
  format(schema: JsonObject): JsonObject
}

function many<Item>(item: (name: string) => Item): Item[] {
  return Array.from({ length: 200 }, (_, index) => item(`tool_${index}`))
}

/** The fields for schemas in each protocol. */
const places: Readonly<Record<ProtocolName, Placed>> = {
  'chat-completions': {
    tools: (parameters) => ({
      tools: many((name) => ({ type: 'function', function: { name, parameters, strict: true } })),
    }),
    format: (schema) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    }),
  },
  responses: {
    tools: (parameters) => ({
      tools: many((name) => ({ type: 'function', name, parameters })),
    }),
    format: (schema) => ({ text: { format: { type: 'json_schema', name: 'a', schema } } }),
  },
  messages: {
    tools: (schema) => ({ tools: many((name) => ({ name, input_schema: schema, strict: true })) }),
    format: (schema) => ({ output_config: { format: { type: 'json_schema', schema } } }),
  },
  'generate-content': {
    tools: (parameters) => ({
      tools: [{ functionDeclarations: many((name) => ({ name, parameters })) }],
    }),
    format: (responseSchema) => ({
      generationConfig: { responseMimeType: 'application/json', responseSchema },
    }),
  },
}

/** The field that a refusal names, in the client's protocol. */
const fields: Readonly<Record<ProtocolName, RegExp>> = {
  'chat-completions': /^(?:tools|response_format)/,
  responses: /^(?:tools|text\.format)/,
  messages: /^(?:tools|output_config)/,
  'generate-content': /^(?:tools|generationConfig)/,
}

/** The maximum size of the request to the upstream for a bomb in 200 tools at 200 KB. */
const sentBytesMax = 32 * 1024 * 1024
const names = [
  'references that double at every level',
  'references through allOf, which double',
  'definitions that all refer to each other',
  'choices of choices',
]

const foreign = allPairs.filter(({ from, to }) => from.name !== to.name)
describe.each(foreign)('from $from.name to $to.name', ({ from, to }) => {
  test.each(names)('%s: 400 that names the field, or little is sent', async (name) => {
    const model = viaModel(to.name)
    const schema = schemaBombs[name] ?? {}
    const placed = places[from.name]
    for (const extra of [placed.tools(schema), placed.format(schema)]) {
      const body = { ...from.client.body(model, false), ...extra }
      const path = from.client.path(model, false)
      const reply = await gateway().ask({ key: 'any', method: 'POST', path, body })
      if (reply.status === 200) {
        const sent = gateway().one.requests.at(-1)?.body.length ?? 0
        expect(sent).toBeLessThan(sentBytesMax)
        continue
      }
      expect(reply.status).toBe(400)
      const told = from.client.readFault(reply.json)
      expect(told).toMatchObject({ reason: 'invalid_request' })
      // The largest bodies are refused before their fields are read.
      if (String(told.message).includes('more than 100000 names')) continue
      expect(String(told.message)).toContain('too large to translate')
      // The messages protocol has no member for the name of a field.
      if (from.name !== 'messages') expect(String(told.field)).toMatch(fields[from.name])
    }
  })
})
