import { describe, expect, test } from 'bun:test'
import { type ProtocolName, protocolNames } from '../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../src/protocols/index.ts'
import { parseJson } from '../../src/wire/json.ts'
import type { Endpoint } from '../support/exchanges/exchange.ts'
import { readExchangeFiles } from '../support/exchanges/read-exchanges.ts'
import { readAtOnce } from '../support/read-at-once.ts'
import { digList, digNumber } from './dig.ts'
import { ownSchemaProblems } from './own-schemas/own-schema-problems.ts'
import { translateRequest } from './pipeline/translate-request.ts'

/** The exchanges with an endpoint that does not generate. */
function exchangesOf(protocol: ProtocolName, endpoint: Endpoint) {
  return readExchangeFiles()
    .filter((file) => file.protocol === protocol)
    .flatMap(({ exchanges }) => exchanges.filter((exchange) => exchange.endpoint === endpoint))
}

const countingNames = protocolNames.filter((name) => protocols[name].counting !== undefined)

describe('token counts', () => {
  test('three protocols count tokens, and each has exchanges', () => {
    expect(countingNames).toEqual(['responses', 'messages', 'generate-content'])
    for (const name of countingNames) expect(exchangesOf(name, 'count-tokens')).not.toEqual([])
  })

  for (const client of countingNames) {
    const { counting } = protocols[client]
    for (const { name, model, request = {}, reply } of exchangesOf(client, 'count-tokens')) {
      test(`${client} ${name}: the count is read and written in the same format`, () => {
        const told = digNumber(reply, 'input_tokens') + digNumber(reply, 'totalTokens')
        expect(told).toBeGreaterThan(0)
        expect(counting?.readCount(reply)).toBe(told)
        const written = counting?.encodeCount(told)
        expect(ownSchemaProblems(client, 'count', written)).toEqual([])
        expect(counting?.readCount(written)).toBe(told)
      })

      for (const upstream of countingNames) {
        test(`${client} ${name}: is a valid request to ${upstream}`, () => {
          const body = readAtOnce(JSON.stringify(request))
          const path = { model, isStream: false, framing: 'sse' } as const
          const facts = counting?.decodeCount(body, path)
          const asked = facts && counting?.decodeCountRequest(body, facts)
          if (!asked) throw new Error(`${client} ${name} cannot be read`)
          const settings = { model: 'upstream-model', issuer: 'vendor/family', traits: {} }
          const { text } = translateRequest(client, upstream, asked, settings)
          const count = protocols[upstream].counting?.encodeCountRequest(text, 'upstream-model')
          expect(ownSchemaProblems(upstream, 'countRequest', parseJson(count ?? ''))).toEqual([])
        })
      }
    }
  }
})

const listed = ['model-one', 'vendor/model-two'].map((id) => ({
  id,
  displayName: `The ${id}`,
  ownedBy: 'tollgate',
  createdAtMs: 1_790_000_000_000,
  contextTokens: 128_000,
  maxOutputTokens: 8_192,
}))

describe('model lists', () => {
  for (const protocol of protocolNames) {
    test(`${protocol}: the gateway's list has the format of the vendor's`, () => {
      expect(exchangesOf(protocol, 'models')).not.toEqual([])
      const list = protocols[protocol].encodeModelList({
        models: listed,
        query: new URLSearchParams(),
      })
      expect(ownSchemaProblems(protocol, 'models', list)).toEqual([])
      expect([...digList(list, 'data'), ...digList(list, 'models')]).toHaveLength(listed.length)
    })
  }
})
