import { describe, expect, test } from 'bun:test'
import type { ModelRequest } from '../../../../src/core/neutral/model-request.ts'
import { type ProtocolName, protocolNames } from '../../../../src/core/neutral/protocol-name.ts'
import { nameResults } from '../../../../src/protocols/fit/name-results.ts'
import { protocols } from '../../../../src/protocols/index.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import { writeJson } from '../../../../src/wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../../src/wire/json.ts'
import { scanJson } from '../../../../src/wire/scan-json.ts'
import { ownSchemaProblems } from '../../../conformance/own-schemas/own-schema-problems.ts'
import { requestOf, text, turn } from '../fits/build-request.ts'
import { optionRows, samplingRows } from './option-rows.ts'
import type { RequestRow } from './request-row.ts'
import { toolRows } from './tool-rows.ts'
import { turnRows } from './turn-rows.ts'

const tables: Readonly<Record<string, readonly RequestRow[]>> = {
  ...samplingRows,
  ...optionRows,
  ...toolRows,
  ...turnRows,
}

const cases = Object.entries(tables).flatMap(([field, rows]) =>
  rows.flatMap((row, place) => protocolNames.map((name) => ({ field, row, place, name }))),
)

const plain = requestOf({ turns: [turn('user', text('Hi'))] })

/** The whole body of a request without options. */
const plainBodies: Readonly<Record<ProtocolName, JsonObject>> = {
  'chat-completions': { model: 'upstream-model', messages: [{ role: 'user', content: 'Hi' }] },
  responses: {
    model: 'upstream-model',
    input: [{ role: 'user', content: 'Hi' }],
    include: ['reasoning.encrypted_content'],
    store: false,
  },
  messages: {
    model: 'upstream-model',
    max_tokens: 8_000,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
}

/** Reasoning is returned only to its issuer, so each protocol's upstream issues its own. */
function encode(name: ProtocolName, fields: Partial<ModelRequest>, traits: ModelTraits = {}) {
  const { translation } = protocols[name]
  const notes = new Notes(translation.fieldNames, false)
  const target = { model: 'upstream-model', issuer: 'own/model', traits, outputTokensMax: 8_000 }
  const request = nameResults({ ...plain, ...fields })
  const body = parseJson(writeJson(translation.encodeRequest(request, target, notes)))
  if (!isObject(body)) throw new Error('the request is not a JSON object')
  return { body, warnings: notes.warnings }
}

function decode(name: ProtocolName, value: JsonObject): Readonly<Record<string, unknown>> {
  const { translation, passThrough } = protocols[name]
  const written = JSON.stringify(value)
  const scan = scanJson(written, 128)
  if (!scan.ok) throw new Error(`not a body: ${written}`)
  const body = { text: written, value, members: scan.members }
  const path = { model: 'public-model', isStream: undefined, framing: 'sse' } as const
  return { ...translation.decodeRequest(body, passThrough.decodeFacts(body, path)) }
}

function differences(body: JsonObject, from: JsonObject): JsonObject {
  const names = new Set([...Object.keys(body), ...Object.keys(from)])
  const changed = [...names].filter((name) => !Bun.deepEquals(body[name], from[name]))
  return Object.fromEntries(changed.map((name) => [name, body[name]]))
}

describe('a request without options', () => {
  test.each(protocolNames)('%s: the whole body', (name) => {
    const { body, warnings } = encode(name, {})
    expect(body).toEqual(plainBodies[name])
    expect(warnings).toEqual([])
    expect(decode(name, body)).toMatchObject({ turns: plain.turns, isStream: false, answers: 1 })
  })
})

describe('every field of a request', () => {
  for (const { field, row, place, name } of cases) {
    const arrival = row.arrives[name]
    if (arrival === 'never written') continue
    const { body: expected, warnings, reads, isBeyondSchema } = arrival
    const title = `${field} ${place + 1} in ${name}`
    const fields = { ...row.beside, ...row.sent }
    if (expected === undefined) {
      test(`${title} is refused`, () => {
        expect(() => encode(name, fields, row.traits)).toThrow()
      })
      continue
    }
    test(`${title} is written under its name, and changes nothing else`, () => {
      const without = encode(name, row.beside ?? {}, row.traits)
      const encoded = encode(name, fields, row.traits)
      expect(differences(encoded.body, without.body)).toEqual(expected)
      expect(encoded.warnings).toEqual([...without.warnings, ...warnings])
      // The schemas do not contain the dialects of servers with traits of their own.
      if (!row.traits && !isBeyondSchema)
        expect(ownSchemaProblems(name, 'request', encoded.body)).toEqual([])
    })
    test(`${title} is read under its name`, () => {
      const { body } = encode(name, row.beside ?? {}, row.traits)
      const read = decode(name, { ...body, ...expected })
      for (const [member, value] of Object.entries(reads ?? row.sent)) {
        expect({ [member]: read[member] }).toMatchObject({ [member]: value })
      }
      // A field that the decoder understands is not kept a second time among the unknown fields.
      if (!row.sent.extras) expect(read['extras']).toEqual({})
    })
  }
})
