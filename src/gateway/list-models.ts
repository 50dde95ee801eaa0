import type { CatalogSnapshot } from '../catalog/catalog-snapshot.ts'
import type { KeyRecord } from '../keys/key-record.ts'
import { protocols } from '../protocols/index.ts'
import { modelNotFound } from '../routing/plan.ts'
import { protocolOfCall } from './admit/protocol-of-call.ts'
import type { Call, GatewayResponse } from './call.ts'
import { visibleModels } from './visible-models.ts'

export function listModels(
  call: Call,
  key: KeyRecord,
  catalog: CatalogSnapshot,
  nowMs: number,
): GatewayResponse {
  const protocol = protocols[protocolOfCall(call.headers, call.path)]
  const page = {
    models: visibleModels(catalog, key, nowMs),
    query: new URLSearchParams(call.query),
  }
  return jsonAnswer(protocol.encodeModelList(page))
}

export function getModel(
  call: Call,
  key: KeyRecord,
  catalog: CatalogSnapshot,
  id: string,
  nowMs: number,
): GatewayResponse {
  const protocol = protocols[protocolOfCall(call.headers, call.path)]
  const model = visibleModels(catalog, key, nowMs).find((each) => each.id === id)
  if (!model) throw modelNotFound(id)
  return jsonAnswer(protocol.encodeModel(model))
}

function jsonAnswer(body: object): GatewayResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}
