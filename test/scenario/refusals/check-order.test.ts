import { describe, expect, test } from 'bun:test'
import { requestChecks } from '../../../src/core/codes.ts'
import { isObject, type JsonObject } from '../../../src/wire/json.ts'
import type { KeyName } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

/* Requests, token counts and explanations use one list of checks, so the same check refuses in all of them. */

const gateway = withGateway()
const explained = { 'x-gateway-explain': 'true' }

interface Case {
  readonly name: string
  readonly key: KeyName
  readonly body: JsonObject | string
  readonly headers?: Readonly<Record<string, string>>
  /** The check that refuses, although a later one would refuse as well. */
  readonly check: (typeof requestChecks)[number]
  readonly code: string
}

const turns = { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }
const asked = (model: string) => ({ model, ...turns })
const badVersion = { 'anthropic-version': 'yesterday' }

const cases: readonly Case[] = [
  {
    name: 'a suspended account before an invalid header',
    key: 'suspended',
    body: '{',
    headers: badVersion,
    check: 'account and address',
    code: 'account_suspended',
  },
  {
    name: 'a forbidden address before an invalid body',
    key: 'remote',
    body: '{',
    check: 'account and address',
    code: 'ip_not_allowed',
  },
  {
    name: 'an invalid header before the model list',
    key: 'modelless',
    body: asked('gpt-x'),
    headers: badVersion,
    check: 'body',
    code: 'invalid_request',
  },
  {
    name: 'an invalid body before the model list',
    key: 'modelless',
    body: '{',
    check: 'body',
    code: 'invalid_request',
  },
  {
    name: 'the model list before the catalogue',
    key: 'scoped',
    body: asked('gpt-nowhere'),
    check: 'model list of the key',
    code: 'model_not_allowed',
  },
  {
    name: 'the catalogue before money',
    key: 'broke',
    body: asked('gpt-nowhere'),
    check: 'groups, catalogue and price',
    code: 'model_not_found',
  },
]

function checksIn(told: unknown): JsonObject[] {
  const checks = isObject(told) ? told['checks'] : undefined
  return Array.isArray(checks) ? checks.filter(isObject) : []
}

describe('the check that refuses first', () => {
  const paths = ['/v1/messages', '/v1/messages/count_tokens']
  for (const path of paths) {
    test.each(cases)(`${path}: $name`, async ({ key, body, headers = {}, check, code }) => {
      const { ask, one, two, money } = gateway()
      const before = await money.counts()
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
