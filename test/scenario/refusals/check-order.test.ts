import { describe, expect, test } from 'bun:test'
import { requestChecks } from '../../../src/core/codes.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, type JsonObject } from '../../../src/wire/json.ts'
import type { KeyName } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { allProtocols } from '../../support/protocols/test-protocols.ts'

/* Requests, token counts and explanations use one list of checks, so the same check refuses in all of them. */

const gateway = withGateway()
const explained = { 'x-gateway-explain': 'true' }

interface Case {
  readonly name: string
  readonly key: KeyName
  readonly model: string
  /** `text`: the body is not JSON. `field`: a required field is missing. `header`: messages only. */
  readonly broken?: 'text' | 'field' | 'header'
  /** The check that refuses, although a later one would refuse as well. */
  readonly check: (typeof requestChecks)[number]
  readonly code: string
  /** A count is free, so money does not refuse it. */
  readonly isCharged?: true
}

const cases: readonly Case[] = [
  {
    name: 'a suspended account before an invalid header',
    key: 'suspended',
    model: 'gpt-nowhere',
    broken: 'header',
    check: 'account and address',
    code: 'account_suspended',
  },
  {
    name: 'a suspended account before an invalid body',
    key: 'suspended',
    model: 'gpt-nowhere',
    broken: 'text',
    check: 'account and address',
    code: 'account_suspended',
  },
  {
    name: 'a forbidden address before an invalid body',
    key: 'remote',
    model: 'gpt-nowhere',
    broken: 'text',
    check: 'account and address',
    code: 'ip_not_allowed',
  },
  {
    name: 'an invalid header before the model list',
    key: 'modelless',
    model: 'gpt-x',
    broken: 'header',
    check: 'body',
    code: 'invalid_request',
  },
  {
    name: 'an invalid body before the model list',
    key: 'modelless',
    model: 'gpt-x',
    broken: 'text',
    check: 'body',
    code: 'invalid_request',
  },
  {
    name: 'a missing field before the model list',
    key: 'modelless',
    model: 'gpt-x',
    broken: 'field',
    check: 'body',
    code: 'invalid_request',
  },
  {
    name: 'a missing field before the catalogue',
    key: 'broke',
    model: 'gpt-nowhere',
    broken: 'field',
    check: 'body',
    code: 'invalid_request',
  },
  {
    name: 'the model list before the catalogue',
    key: 'scoped',
    model: 'gpt-nowhere',
    check: 'model list of the key',
    code: 'model_not_allowed',
  },
  {
    name: 'the catalogue before money',
    key: 'broke',
    model: 'gpt-nowhere',
    check: 'groups, catalogue and price',
    code: 'model_not_found',
  },
  {
    name: 'the price before money',
    key: 'broke',
    model: 'gpt-unpriced',
    check: 'groups, catalogue and price',
    code: 'model_not_priced',
  },
  {
    name: 'money last',
    key: 'broke',
    model: 'gpt-x',
    check: 'credit and quota',
    code: 'insufficient_credit',
    isCharged: true,
  },
]

/** The calls for counting; chat-completions has none. */
const countPaths: Readonly<Partial<Record<ProtocolName, (model: string) => string>>> = {
  responses: () => '/v1/responses/input_tokens',
  messages: () => '/v1/messages/count_tokens',
  'generate-content': (model) => `/v1beta/models/${model}:countTokens`,
}

/** The member without which no body is valid. */
const required = ['messages', 'input', 'contents']

function bodyOf(body: JsonObject, broken: Case['broken']): JsonObject | string {
  if (broken === 'text') return '{'
  if (broken !== 'field') return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => !required.includes(name)))
}

function checksIn(told: unknown): JsonObject[] {
  const checks = isObject(told) ? told['checks'] : undefined
  return Array.isArray(checks) ? checks.filter(isObject) : []
}

describe('the check that refuses first', () => {
  for (const { name: protocol, client } of allProtocols) {
    const kinds = [
      { kind: 'request', path: (model: string) => client.path(model, false) },
      { kind: 'count', path: countPaths[protocol] },
    ]
    for (const { kind, path: pathOf } of kinds) {
      if (!pathOf) continue
      const own = cases.filter(
        ({ broken, isCharged }) =>
          (broken !== 'header' || protocol === 'messages') && (kind === 'request' || !isCharged),
      )
      test.each(own)(`${protocol}, ${kind}: $name`, async (each) => {
        const { key, model, broken, check, code } = each
        const { ask, one, two, money } = gateway()
        const before = await money.counts()
        const path = pathOf(model)
        const body = bodyOf(client.body(model, false), broken)
        const headers: Readonly<Record<string, string>> =
          broken === 'header' ? { 'anthropic-version': 'yesterday' } : {}
        const reply = await ask({ key, path, body, headers })
        expect(reply.status).toBeGreaterThanOrEqual(400)
        expect(await money.usageRow(reply.requestId)).toMatchObject({ reason: code, cost_nano: 0n })
        const told = await ask({ key, path, body, headers: { ...headers, ...explained } })
        expect(told.status).toBe(200)
        const checks = checksIn(told.json)
        expect(checks.at(-1)).toMatchObject({ check, passed: false, code })
        const until = requestChecks.slice(0, requestChecks.indexOf(check))
        const passed = checks.slice(0, -1)
        expect(passed).toEqual(
          until
            .filter((each) => each !== 'earlier response')
            .map((each) => ({ check: each, passed: true })),
        )
        expect([...one.requests, ...two.requests]).toHaveLength(0)
        expect((await money.counts()).entries).toBe(before.entries)
      })
    }
  }
})

test('a request that all checks concern passes them in the order of the list', async () => {
  const { ask } = gateway()
  const path = '/v1/responses'
  const first = await ask({ key: 'plain', path, body: { model: 'gpt-x', input: 'Hi' } })
  expect(first.status).toBe(200)
  const body = { model: 'gpt-x', input: 'And?', previous_response_id: first.json['id'] }
  const told = await ask({ key: 'plain', path, body, headers: explained })
  expect(checksIn(told.json)).toEqual(requestChecks.map((check) => ({ check, passed: true })))
})
