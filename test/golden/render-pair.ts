import { Fault } from '../../src/core/fault.ts'
import type { ProtocolName } from '../../src/core/neutral/protocol-name.ts'
import type { ReplyEvent } from '../../src/core/neutral/reply-event.ts'
import { foreignFault } from '../../src/gateway/forward/foreign-fault.ts'
import type { CallRestore } from '../../src/protocols/fit/call-restore.ts'
import { restoreCalls } from '../../src/protocols/fit/restore-calls.ts'
import { protocols } from '../../src/protocols/index.ts'
import { parseJson } from '../../src/wire/json.ts'
import { SseFramer } from '../../src/wire/sse-framer.ts'
import { dig, digNumber } from '../conformance/dig.ts'
import { clientHistories } from '../conformance/pipeline/client-history.ts'
import { decodeClientBody, plainClientRequest } from '../conformance/pipeline/client-request.ts'
import { type ClientRequest, countingMint, replyContext } from '../conformance/pipeline/contexts.ts'
import { bytesOf } from '../conformance/pipeline/decode-stream.ts'
import { translateRequest } from '../conformance/pipeline/translate-request.ts'
import { type CaseName, type Pair, readInput } from './golden-case.ts'
import { prettyJson } from './pretty-json.ts'

const issuer = 'vendor/family'
const settings = {
  model: 'upstream-model',
  issuer,
  traits: { reasoningReturn: 'reasoning_details' },
} as const
const replySettings = { wantsStreamUsage: true, framing: 'sse' } as const
const path = { model: 'public-model', isStream: false }

/** Renders one case of one pair for readers: the input, and the output on the other side. */
export function renderPair(pair: Pair, name: CaseName): string {
  const sections = name === 'error' ? renderError(pair) : renderExchange(pair, name)
  const title = `${name}: ${pair.client} client, ${pair.upstream} upstream`
  return [`# ${title}`, ...sections].join('\n\n').concat('\n')
}

function renderExchange(pair: Pair, name: CaseName): string[] {
  const { client, upstream } = pair
  const asked = readInput(client, `${name}.request.json`)
  const clientRequest = decodeClientBody(client, asked, { ...path, isStream: name === 'text' })
  const sent = translateRequest(client, upstream, clientRequest.request, settings)
  const reply = readInput(upstream, `${name}.reply.json`)
  const stream = readInput(upstream, `${name}.stream.sse`)
  const got = replyTo(pair, clientRequest, reply, sent.restore)
  return [
    section('The client asks', client, prettyJson(asked)),
    section('The upstream is asked', upstream, prettyJson(sent.text)),
    section('Warnings', '', sent.warnings.join('\n') || 'none'),
    section('The upstream answers', upstream, prettyJson(reply)),
    section('The client gets', client, prettyJson(got)),
    section('The upstream streams', upstream, stream.replaceAll('\r\n', '\n').trimEnd()),
    section('The client gets', client, streamTo(pair, clientRequest, stream, sent.restore)),
    ...(name === 'reasoning' ? renderReturn(pair, clientRequest, got) : []),
  ]
}

/** The next turn: the vendor must get its signature back unchanged. */
function renderReturn({ client, upstream }: Pair, { body }: ClientRequest, got: string): string[] {
  const next = JSON.stringify(clientHistories[client](body, parseJson(got)))
  const again = decodeClientBody(client, next, path)
  const sent = translateRequest(client, upstream, again.request, settings)
  const moved = translateRequest(client, upstream, again.request, {
    ...settings,
    issuer: 'other/one',
  })
  return [
    section('The client asks again', client, prettyJson(next)),
    section('The upstream is asked again', upstream, prettyJson(sent.text)),
    section('Another vendor is asked instead', upstream, prettyJson(moved.text)),
    section('Warnings', '', moved.warnings.join('\n') || 'none'),
  ]
}

function renderError(pair: Pair): string[] {
  const { client, upstream } = pair
  const refused = readInput(upstream, 'error.reply.json')
  const value = parseJson(refused)
  const { readFault } = protocols[upstream].passThrough
  const told = readFault(digNumber(value, 'status'), JSON.stringify(dig(value, 'body')))
  const fault = foreignFault(told, upstream, client)
  const stream = readInput(upstream, 'error.stream.sse')
  const request = plainClientRequest(client, 1)
  const { retryAfterSeconds } = fault.details
  const status = `status ${fault.status}, retry after ${retryAfterSeconds ?? 'no'} seconds`
  const body = JSON.stringify(protocols[client].encodeFault(fault, 'req_golden'))
  return [
    section('The upstream refuses', upstream, prettyJson(refused)),
    section('The client gets', client, `${status}\n${prettyJson(body)}`),
    section(
      'The upstream fails in its stream',
      upstream,
      stream.replaceAll('\r\n', '\n').trimEnd(),
    ),
    section('The client gets', client, streamTo(pair, request, stream, undefined)),
  ]
}

function replyTo(
  { client, upstream }: Pair,
  request: ClientRequest,
  reply: string,
  restore: CallRestore | undefined,
): string {
  const mint = countingMint()
  const events = protocols[upstream].translation.decodeReply(reply, { issuer, replies: {}, mint })
  const context = replyContext(request, replySettings, mint)
  return protocols[client].translation.encodeReply(restored(events, restore), context)
}

function streamTo(
  { client, upstream }: Pair,
  request: ClientRequest,
  stream: string,
  restore: CallRestore | undefined,
): string {
  const mint = countingMint()
  const decoder = protocols[upstream].translation.openDecoder({ issuer, replies: {}, mint })
  const framer = new SseFramer(1_000_000)
  const events = framer.push(bytesOf(stream)).flatMap((frame) => decoder.push(frame))
  events.push(...decoder.end())
  const encoder = protocols[client].translation.openEncoder(
    replyContext(request, replySettings, mint),
  )
  const text = restored(events, restore)
    .map((event) => encoder.push(inWordsOf(event, upstream, client)))
    .join('')
  if (!events.some(({ type }) => type === 'reply-end' || type === 'fault')) {
    throw new Fault('internal_error', `the ${upstream} stream has no end`)
  }
  return text.replaceAll('\r\n', '\n').trimEnd()
}

/** A fault's types and codes mean nothing in another protocol; the gateway replaces them. */
function inWordsOf(event: ReplyEvent, from: ProtocolName, to: ProtocolName): ReplyEvent {
  return event.type === 'fault' ? { ...event, fault: foreignFault(event.fault, from, to) } : event
}

function restored(
  events: readonly ReplyEvent[],
  restore: CallRestore | undefined,
): readonly ReplyEvent[] {
  if (!restore || restore.isIdentity) return events
  return events.flatMap(restoreCalls(restore))
}

function section(title: string, protocol: string, text: string): string {
  return `## ${title}${protocol === '' ? '' : ` (${protocol})`}\n\n${text}`
}
