import type { ModelRequest } from '../../core/neutral/model-request.ts'
import { countAt, isObject, type JsonObject } from '../../wire/json.ts'
import { decodeExtraFacts } from '../measure/feature-requests.ts'
import type { Counting, ForwardTarget } from '../protocol.ts'
import type { JsonBody, PathFacts, RequestFacts } from '../request-facts.ts'
import { decodeRequest } from './decode-request/decode-request.ts'
import { checkContents, requireModel } from './pass-through/decode-facts.ts'
import { patchNested } from './pass-through/pass-through.ts'
import { objectOf, spellingOf, textOf } from './values/read-field.ts'

/** The member with a whole request; without it, the contents are at the top level. */
const envelope = 'generateContentRequest'

export const counting: Counting = {
  decodeCount,
  decodeCountRequest,
  encodeForward,
  encodeCountRequest,
  readCount,
  encodeCount,
}

function decodeCount({ value }: JsonBody, path: PathFacts): RequestFacts {
  const inner = objectOf(value, envelope)
  checkContents(inner ?? value, inner ? `${envelope}.` : '')
  return {
    model: requireModel(path),
    isStream: false,
    outputTokensMax: undefined,
    answers: 1,
    wantsStreamUsage: false,
    framing: 'sse',
    ...decodeExtraFacts(value, noFeatures),
  }
}

/** A count runs no tools, so it has no features. */
function noFeatures(): void {}

function decodeCountRequest(body: JsonBody, facts: RequestFacts): ModelRequest {
  const inner = objectOf(body.value, envelope)
  const span = body.members.get(spellingOf(body.value, envelope))
  if (!inner || !span) return decodeRequest(body, facts)
  const text = body.text.slice(span.valueStart, span.valueEnd)
  return decodeRequest({ text, value: inner, members: new Map() }, facts)
}

/** The nested request names its model, and the service rejects a model that differs from the path. */
function encodeForward(body: JsonBody, facts: RequestFacts, target: ForwardTarget): string {
  const inner = objectOf(body.value, envelope)
  if (!inner || textOf(inner, 'model') === undefined || facts.model === target.model) {
    return body.text
  }
  return patchNested(body, envelope, { name: 'model', value: modelName(target.model) })
}

function encodeCountRequest(generatingBody: string, model: string): string {
  return `{"${envelope}":{"model":${modelName(model)},${generatingBody.slice(1)}}`
}

function readCount(value: unknown): number | undefined {
  return isObject(value) ? countAt(value, 'totalTokens') : undefined
}

function encodeCount(inputTokens: number): JsonObject {
  return { totalTokens: inputTokens }
}

function modelName(model: string): string {
  return JSON.stringify(model.includes('/') ? model : `models/${model}`)
}
