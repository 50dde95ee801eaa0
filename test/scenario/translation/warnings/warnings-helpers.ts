import { expect } from 'bun:test'
import type { ProtocolName } from '../../../../src/core/neutral/protocol-name.ts'
import { isObject, type JsonObject } from '../../../../src/wire/json.ts'
import type { Reply } from '../../../support/gateway/ask.ts'
import type { TestGateway } from '../../../support/gateway/start-gateway.ts'
import { type KeyName, viaModel } from '../../../support/gateway/test-provision.ts'
import { greeting } from '../../../support/protocols/test-protocol.ts'
import { testProtocols } from '../../../support/protocols/test-protocols.ts'

/** Fields that are added to the usual request of a protocol. */
export interface Asked {
  readonly from: ProtocolName
  /** `generationConfig` is merged with that of the usual request. */
  readonly fields: JsonObject
}

export function bodyOf({ from, fields }: Asked, model: string, isStream: boolean): JsonObject {
  const body = testProtocols[from].client.body(model, isStream)
  const config = fields['generationConfig']
  if (!isObject(config)) return { ...body, ...fields }
  return { ...body, ...fields, generationConfig: { maxOutputTokens: 1_000, ...config } }
}

export async function askRow(
  { ask, one }: TestGateway,
  key: KeyName,
  row: Asked,
  to: ProtocolName,
): Promise<Reply> {
  const model = viaModel(to)
  const body = JSON.stringify(testProtocols[to].upstream.reply(greeting))
  one.script('next', { kind: 'reply', body })
  const path = testProtocols[row.from].client.path(model, false)
  return ask({ key, path, body: bodyOf(row, model, false) })
}

/** Refused before anything was sent, with the name of the client's field, and free of charge. */
export async function expectRefused(
  { one, money }: TestGateway,
  reply: Reply,
  from: ProtocolName,
  field: unknown,
): Promise<void> {
  expect(reply.status).toBe(400)
  const told = testProtocols[from].client.readFault(reply.json)
  expect(told).toMatchObject({ reason: 'invalid_request', message: expect.any(String) })
  // The messages protocol can name the field only in the message.
  if (from !== 'messages') expect(told.field).toEqual(field)
  expect(reply.headers.get('x-gateway-warnings')).toBeNull()
  expect(one.requests).toHaveLength(0)
  expect(await money.usageRow(reply.requestId)).toMatchObject({
    status: 400,
    reason: 'invalid_request',
    cost_nano: 0n,
    warnings: null,
  })
  expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
}
