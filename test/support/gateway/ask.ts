import { expect } from 'bun:test'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import type { KeyValues } from './test-database.ts'
import { credentials, type KeyName } from './test-provision.ts'

export interface Question {
  /** Sent as a bearer token; undefined sends none. */
  readonly key?: KeyName | undefined
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON, other values unchanged. */
  readonly body?: object | string | Uint8Array<ArrayBuffer> | undefined
  readonly signal?: AbortSignal
}

/** A whole answer, read to its end. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Empty when the text is not a JSON object. */
  readonly json: JsonObject
  readonly requestId: string
}

export const chatPath = '/v1/chat/completions'

/** The smallest request of a client, with an output limit so that the hold is small. */
export function chatBody(extra: JsonObject = {}): JsonObject {
  return {
    model: 'gpt-x',
    messages: [{ role: 'user', content: 'Good morning' }],
    max_tokens: 100,
    ...extra,
  }
}

export function openAnswer(url: string, keys: KeyValues, question: Question): Promise<Response> {
  const { key, path = chatPath, headers = {}, body, signal } = question
  const isPlain = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const sent = isPlain ? body : JSON.stringify(body)
  return fetch(`${url}${path}`, {
    method: question.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${keys[key]}` }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    redirect: 'manual',
    ...(sent === undefined ? {} : { body: sent }),
    ...(signal ? { signal } : {}),
  })
}

/** Reads an answer to its end, and checks that it contains no secret. */
export async function readReply(response: Response, keys: KeyValues): Promise<Reply> {
  const text = await response.text()
  const { status, headers } = response
  expectNoSecret(`${JSON.stringify([...headers])}\n${text}`, keys)
  const value = parseJson(text)
  const requestId = headers.get('x-gateway-request-id') ?? ''
  return { status, headers, text, json: isObject(value) ? value : {}, requestId }
}

/**
 * The common prefix of all keys and credentials in tests: texts of megabytes are searched for secrets only if they
 * contain it.
 */
const secretHead = 'sk-'

interface Secrets {
  readonly withHead: readonly string[]
  readonly others: readonly string[]
}

/** The secrets of each gateway, listed once: every answer is searched for them. */
const listed = new WeakMap<KeyValues, Secrets>()

function secretsOf(keys: KeyValues): Secrets {
  const known = listed.get(keys)
  if (known) return known
  const all = [...Object.values(keys), ...Object.values(credentials)]
  const hasHead = (secret: string) => secret.startsWith(secretHead)
  const secrets = {
    withHead: all.filter(hasHead),
    others: all.filter((secret) => !hasHead(secret)),
  }
  listed.set(keys, secrets)
  return secrets
}

export function expectNoSecret(text: string, keys: KeyValues): void {
  const { withHead, others } = secretsOf(keys)
  const found = others.filter((secret) => text.includes(secret))
  if (text.includes(secretHead)) found.push(...withHead.filter((secret) => text.includes(secret)))
  expect(found).toEqual([])
}
