import type { ProtocolName } from '../../src/core/neutral/protocol-name.ts'
import type { Endpoint, Exchange, ExchangeFile } from '../support/exchanges/exchange.ts'
import { streamText } from '../support/exchanges/stream-text.ts'
import { digText } from './dig.ts'
import { ownSchemaProblems } from './own-schemas/own-schema-problems.ts'
import type { ProtocolSchemas } from './own-schemas/protocol-schemas.ts'
import { readSse, type WireEvent } from './read-sse.ts'
import { type SchemaKind, vendorSchemaProblems } from './schemas.ts'

/** The problems of one of the project's own exchanges. An exchange with an oddity must have a problem. */
export function exchangeProblems(file: ExchangeFile, exchange: Exchange): string[] {
  const problems = [
    ...statusProblems(file, exchange),
    ...requestProblems(file, exchange),
    ...endProblems(file, exchange),
  ]
  const replies = replyProblems(file, exchange)
  if (exchange.oddity === undefined) problems.push(...replies)
  else if (replies.length === 0) problems.push('has an oddity that does not show')
  return problems.map((problem) => `${file.protocol}/${file.feature}.${exchange.name}: ${problem}`)
}

function statusProblems({ feature }: ExchangeFile, { status }: Exchange): string[] {
  const expected = Number(/^error-(\d+)$/.exec(feature)?.[1] ?? 200)
  return status === expected ? [] : [`status ${status} in place of ${expected}`]
}

/** A rejected request need not be valid. */
function requestProblems({ protocol }: ExchangeFile, exchange: Exchange): readonly string[] {
  const { request, status, endpoint = 'answer', stream } = exchange
  if (endpoint === 'models') return request === undefined ? [] : ['a list is asked for by GET']
  if (request === undefined) return ['no request']
  if (status >= 400) return []
  const isTold =
    protocol === 'generate-content' || (request['stream'] === true) === (stream !== undefined)
  const kind = endpoint === 'answer' ? 'request' : 'countRequest'
  const problems = problemsOf(protocol, kind, request).map((each) => `request: ${each}`)
  return isTold ? problems : [...problems, 'the request asks for the other form']
}

const replyKinds = { answer: 'response', 'count-tokens': 'count', models: 'models' } as const

function replyProblems({ protocol }: ExchangeFile, exchange: Exchange): string[] {
  const { reply, status, endpoint = 'answer' satisfies Endpoint } = exchange
  if (reply !== undefined) {
    const kind = status >= 400 ? 'error' : replyKinds[endpoint]
    return problemsOf(protocol, kind, reply).map((problem) => `reply: ${problem}`)
  }
  return eventsOf(protocol, exchange)
    .filter(({ data }) => data !== '[DONE]')
    .flatMap(({ json, data }) =>
      eventProblems(protocol, json).map((problem) => `${data.slice(0, 60)}: ${problem}`),
    )
}

/** Streams of two protocols report a failure with an error body. */
function eventProblems(protocol: ProtocolName, json: unknown): readonly string[] {
  const isBare = protocol === 'chat-completions' || protocol === 'generate-content'
  const isError = isBare && digText(json, 'error', 'message') !== ''
  return problemsOf(protocol, isError ? 'error' : 'event', json)
}

/** By the project's schema, and by the vendor's where that exists and covers the value. */
function problemsOf(
  protocol: ProtocolName,
  kind: keyof ProtocolSchemas,
  value: unknown,
): readonly string[] {
  const own = ownSchemaProblems(protocol, kind, value)
  const isKnown = isVendorKind(kind) && !isUndescribed(kind, value)
  return isKnown ? [...own, ...vendorSchemaProblems(protocol, kind, value)] : own
}

function isVendorKind(kind: string): kind is SchemaKind {
  return ['request', 'response', 'event', 'error'].includes(kind)
}

/**
 * Values that vendors send without documenting them: some events, custom calls in chat chunks, errors about bodies that
 * are too large.
 */
function isUndescribed(kind: SchemaKind, value: unknown): boolean {
  if (kind === 'error') return digText(value, 'error', 'type') === 'request_too_large'
  if (kind !== 'event') return false
  const type = digText(value, 'type')
  return type === 'ping' || type === 'error' || JSON.stringify(value).includes('"type":"custom"')
}

function eventsOf(protocol: ProtocolName, { stream = [] }: Exchange): WireEvent[] {
  return readSse(streamText(protocol, stream))
}

const terminators: Readonly<Record<ProtocolName, RegExp>> = {
  'chat-completions': /^data: \[DONE\]$/m,
  responses: /^event: response\.(?:completed|incomplete|failed)$/m,
  messages: /^event: message_stop$/m,
  'generate-content': /"(?:finishReason|blockReason)":/,
}
const failure = /"error":\{|"type":"error"/

/** A stream ends with its terminator or with an error, unless it is truncated. */
function endProblems({ protocol }: ExchangeFile, exchange: Exchange): string[] {
  const { stream, rest, isCut } = exchange
  if (stream === undefined) return []
  const text = streamText(protocol, stream, rest)
  const isEnded = terminators[protocol].test(text) || failure.test(text)
  if (isEnded === (isCut !== true)) return []
  return [isCut ? 'a stream that is cut has its terminator' : 'the stream does not end']
}
