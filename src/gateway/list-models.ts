import type { CatalogSnapshot } from '../catalog/catalog-snapshot.ts'
import type { ProtocolName } from '../core/protocol-name.ts'
import type { KeyRecord } from '../keys/key-record.ts'
import { protocols } from '../protocols/index.ts'
import { modelNotFound } from '../routing/plan.ts'
import type { Answer, Call } from './call.ts'
import { protocolOfPath } from './endpoint.ts'
import { visibleModels } from './visible-models.ts'

/**
 * OpenAI's and Anthropic's clients ask the same path. Anthropic's are known by their version header, or by a
 * key that comes in `x-api-key` and not as a bearer token.
 */
export function protocolOfCall(headers: Headers, path: string): ProtocolName {
  const byPath = protocolOfPath(path)
  if (byPath !== 'chat-completions' || !path.startsWith('/v1/models')) return byPath
  const hasVersion = headers.has('anthropic-version') || headers.has('vendor-version')
  const hasOnlyApiKey = headers.has('x-api-key') && !headers.has('authorization')
  return hasVersion || hasOnlyApiKey ? 'messages' : 'chat-completions'
}

export function listModels(
  call: Call,
  key: KeyRecord,
  catalog: CatalogSnapshot,
  nowMs: number,
): Answer {
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
): Answer {
  const protocol = protocols[protocolOfCall(call.headers, call.path)]
  const model = visibleModels(catalog, key, nowMs).find((each) => each.id === id)
  if (!model) throw modelNotFound(id)
  return jsonAnswer(protocol.encodeModel(model))
}

function jsonAnswer(body: object): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}
