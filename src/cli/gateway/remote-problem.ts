import { CommandProblem } from '../../app/command-problem.ts'
import { noSuchAddress } from '../../console-api/http/router.ts'
import { OutgoingFailure, type UpstreamResponse } from '../../http-out/reply.ts'
import { isObject, type JsonObject, parseJson, stringAt } from '../../wire/json.ts'
import { GatewayRefusal } from './gateway-client.ts'
import type { RemoteTarget } from './remote-target.ts'

/**
 * Statuses with which a proxy reports that it got no answer. The gateway may have executed the request anyway.
 */
const proxyStatuses: ReadonlySet<number> = new Set([502, 503, 504])

export interface RemoteCall {
  readonly target: RemoteTarget
  readonly isChange: boolean
  readonly ifLost: string
  readonly version: string
  /** The media types of an operation that returns a file; undefined if it returns JSON. */
  readonly fileTypes: readonly string[] | undefined
}

/** The advice when it is unknown whether the gateway executed a request. */
export function lostSentence(method: string, idempotencyKey: string | undefined): string {
  if (method === 'GET') return 'Nothing was changed, so it is safe to repeat the command.'
  if (idempotencyKey !== undefined) {
    return `It is not known whether the command took effect. Repeat it with --idempotency-key ${idempotencyKey}; the gateway executes it once.`
  }
  if (method !== 'POST') {
    return 'It is not known whether the command took effect; it is safe to repeat it.'
  }
  return 'It is not known whether the command took effect; check the list before you repeat it.'
}

/** Why no answer arrived, in one or two sentences. */
export function unreachable(
  error: unknown,
  target: RemoteTarget,
  lost: { readonly isLost: boolean; readonly ifLost: string; readonly waitMs: number },
): unknown {
  if (!(error instanceof OutgoingFailure)) return error
  const { kind } = error
  const { url } = target
  const reason = withoutToken(error.message, target)
  const seconds = lost.waitMs / 1_000
  switch (kind) {
    case 'stopped':
      return new CommandProblem(
        `The gateway at ${url} did not respond within ${seconds} s. ${lost.ifLost}`,
      )
    case 'tls_failed':
      return new CommandProblem(
        `The certificate of ${url} is not trusted (${reason}); check the URL, or pass its CA certificate with --ca-file.`,
      )
    case 'closed_before_answer':
    case 'stale_connection':
    case 'cut_short':
    case 'bad_answer':
      return new CommandProblem(
        `The connection to ${url} was lost before the response arrived (${reason}). ${lost.ifLost}`,
      )
    case 'address_refused':
    case 'connect_failed':
    case 'connect_timeout':
    case 'proxy_refused':
      return new CommandProblem(
        `The gateway at ${url} cannot be reached (${reason}); nothing was sent. Check the URL, and that the gateway is running.`,
      )
  }
}

/** Undefined for a successful answer. */
export function readRefusal(
  reply: UpstreamResponse,
  text: string,
  asked: RemoteCall,
): CommandProblem | undefined {
  const { target } = asked
  const { status } = reply
  const type = (reply.headers.get('content-type') ?? '').split(';')[0]?.trim() ?? ''
  const isJson = type === 'application/json' || type === 'application/problem+json'
  const body = isJson ? parseJson(text) : undefined
  if (status >= 200 && status < 300) {
    if (asked.fileTypes?.includes(type) ?? isObject(body)) return undefined
    return unreadableAnswer(asked, `HTTP ${status} and ${type || 'no content type'}`)
  }
  if (status >= 300 && status < 400) {
    const place = withoutToken(reply.headers.get('location') ?? 'another address', target)
    return new CommandProblem(
      `${target.url} redirects to ${place}. The token is not sent there; name that gateway with --url.`,
    )
  }
  const code = isObject(body) ? stringAt(body, 'code') : undefined
  if (type === 'application/problem+json' && isObject(body) && code !== undefined) {
    return refusalOf(body, code, asked)
  }
  if (proxyStatuses.has(status)) {
    return new CommandProblem(
      `The proxy in front of ${target.url} returned HTTP ${status}: it got no response from the gateway. ${asked.ifLost}`,
    )
  }
  return unreadableAnswer(asked, `HTTP ${status} and ${type || 'no content type'}`)
}

/** An answer that cannot be understood may belong to a change that was made. */
export function unreadableAnswer(
  { target, isChange, ifLost }: RemoteCall,
  answer: string,
): CommandProblem {
  const sentence = `There is no Tollgate admin API at ${target.url}: the response is ${answer}. Check the URL.`
  return new CommandProblem(isChange ? `${sentence} ${ifLost}` : sentence)
}

function refusalOf(
  body: JsonObject,
  code: string,
  { target, version }: RemoteCall,
): CommandProblem {
  const sentence = withoutToken(
    stringAt(body, 'detail') ?? 'The gateway rejected the request.',
    target,
  )
  if (code === 'not_found' && sentence === noSuchAddress) {
    return new CommandProblem(
      `The gateway at ${target.url} does not support this call: it is older than this command (version ${version}). Upgrade the gateway.`,
    )
  }
  const errors = body['errors']
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  const error = isObject(first) ? first : {}
  const values = error['values']
  return new GatewayRefusal(sentence, {
    code,
    detail: stringAt(error, 'code'),
    field: fieldOf(error),
    values: isObject(values) ? readValues(values) : undefined,
    requestId: stringAt(body, 'requestId'),
  })
}

function fieldOf(error: JsonObject): string | undefined {
  const pointer = stringAt(error, 'pointer')
  return pointer?.replace(/^#\//, '') ?? stringAt(error, 'parameter') ?? stringAt(error, 'header')
}

function readValues(values: JsonObject): Record<string, string | number> {
  const known = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [],
  )
  return Object.fromEntries(known)
}

/** The server may quote the request in its answer, including the token. */
function withoutToken(text: string, { token }: RemoteTarget): string {
  return text.replaceAll(token, '•••')
}
