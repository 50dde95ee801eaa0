import {
  hashOfRequest,
  IdempotencyProblem,
  type IdempotentRequest,
  idempotencyKeptMs,
  idempotencyKeyCharactersMax,
  idempotencyKeysMax,
  readIdempotencyKey,
  type StoredAnswer,
} from '../../store/changes/idempotency.ts'
import { parseJson } from '../../wire/json.ts'
import { ApiRefusal, refuse, wrongField } from '../refusal.ts'
import type { JsonAnswer } from '../routes/route.ts'

const idempotencyHeader = 'idempotency-key'
/** Marks a stored response of an earlier request with the same key. */
const replayedHeader = 'idempotency-replayed'

/**
 * The only query of a call that moves money. It says how sure the caller is, not what happens: a person who repeats a
 * command sends the request without it first.
 */
const confirmed = '?confirm=true'

/** The idempotency key of a request with its hash; undefined without a key. */
export function readIdempotency(
  request: { readonly method: string; readonly url: string; readonly headers: Headers },
  caller: string,
  body: unknown,
): IdempotentRequest | undefined {
  const text = request.headers.get(idempotencyHeader)
  if (text === null) return undefined
  const key = readIdempotencyKey(text)
  if (key === undefined) {
    const values = { max: idempotencyKeyCharactersMax }
    throw wrongField(idempotencyHeader, 'idempotency_key_wrong', values)
  }
  const { pathname, search } = new URL(request.url)
  const hashOf = (query: string): string =>
    hashOfRequest({ method: request.method, path: pathname + query, body })
  const equalHashes = ['', confirmed].map(hashOf)
  return { caller, key, requestHash: hashOf(search), equalHashes }
}

/** Turns a problem of an idempotency key into a refusal. Other errors are returned unchanged. */
export function explainIdempotency(error: unknown): unknown {
  if (!(error instanceof IdempotencyProblem)) return error
  if (error.problem === 'full') {
    const values = { max: idempotencyKeysMax, hours: idempotencyKeptMs / 3_600_000 }
    return refuse('conflict', 'idempotency_full', { values })
  }
  const message =
    'This idempotency key was already used for another request. Use a new key for each request.'
  return new ApiRefusal('idempotency_key_reused', message)
}

/** A stored or new response, with the header that tells which. */
export function storedAnswer<Body>({ body, isReplayed }: StoredAnswer): JsonAnswer<Body> {
  // The stored body was created for the same request.
  const kept = parseJson(body) as Body
  return isReplayed ? { body: kept, headers: { [replayedHeader]: 'true' } } : { body: kept }
}
