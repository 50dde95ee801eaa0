import { foldReply } from '../../../src/core/neutral/fold-reply.ts'
import type { Part } from '../../../src/core/neutral/model-request.ts'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { dig, digList, digText } from '../dig.ts'
import { gistReaders } from '../gist/gist-readers.ts'
import { clientHistories } from '../pipeline/client-history.ts'
import { decodeClientBody, plainClientRequest } from '../pipeline/client-request.ts'
import { issuerOf } from '../pipeline/contexts.ts'
import { encodeWhole, translateReply } from '../pipeline/translate-reply.ts'
import { translateRequest } from '../pipeline/translate-request.ts'
import { readSse } from '../read-sse.ts'
import type { Conversation, Recording } from '../recordings/recording.ts'
import { tally } from '../report/tally.ts'
import type { Case } from './assertion.ts'

/**
 * Q4: signed or encrypted data of a vendor comes back to it byte for byte and in the same position, whatever the
 * client's protocol; another vendor never gets it.
 */
export function q4Signatures(conversations: readonly Conversation[]): Case[] {
  return protocolNames.flatMap((upstream) =>
    protocolNames.flatMap((client) => {
      const own = conversations.filter(
        ({ recordings }) => recordings[0]?.protocol === upstream && recordings.every(isGood),
      )
      if (own.length === 0) return []
      return [
        {
          name: `Q4 ${client} → ${upstream}: signatures are returned unchanged`,
          run: (judge) => {
            for (const { source, recordings } of own) {
              judge.check(source, () => returnProblems(recordings, client))
            }
          },
        },
        {
          name: `Q4 ${client} → ${upstream}: signatures are not sent to another vendor`,
          run: (judge) => {
            for (const { source, recordings } of own) {
              judge.check(source, () => strangerProblems(recordings, client))
            }
          },
        },
      ] satisfies Case[]
    }),
  )
}

function isGood({ status }: Recording): boolean {
  return status < 400
}

/** The client's body after these replies, in the client's protocol. */
function bodyAfter(recordings: readonly Recording[], client: ProtocolName): JsonObject {
  let { body } = plainClientRequest(client, 1)
  for (const recording of recordings) {
    const reply = recording.protocol === client ? wholeOf(recording) : translated(recording, client)
    body = clientHistories[client](body, reply)
  }
  return body
}

/** For a client that requests reasoning: only such a client keeps opaque data. */
function translated(recording: Recording, client: ProtocolName): unknown {
  const reply = translateReply(recording, client)
  const asking = { ...reply.request.request, reasoning: { mode: 'auto', isVisible: true } as const }
  return parseJson(encodeWhole({ ...reply, request: { ...reply.request, request: asking } }))
}

/** The reply as the vendor's own client stores it. */
function wholeOf({ protocol, reply: { form, text } }: Recording): unknown {
  return form === 'whole' ? parseJson(text) : gistReaders[protocol].accumulate(readSse(text))
}

function send(
  body: JsonObject,
  client: ProtocolName,
  upstream: ProtocolName,
  issuer: string,
): string {
  const path = { model: 'public-model', isStream: false }
  const { request } = decodeClientBody(client, JSON.stringify(body), path)
  const traits = { reasoningReturn: 'reasoning_details' } as const
  const settings = { model: 'upstream-model', issuer, traits }
  return translateRequest(client, upstream, request, settings).text
}

function returnProblems(recordings: readonly Recording[], client: ProtocolName): string[] {
  const [first] = recordings
  if (!first) return ['no recording']
  const text = send(bodyAfter(recordings, client), client, first.protocol, issuerOf(first))
  const expected = recordings.flatMap((recording) => {
    if (recording.protocol === client) return signaturesIn(wholeOf(recording))
    const leftOut = client === 'messages' ? behindLastWords(recording) : []
    return signaturesIn(withoutOrphans(wholeOf(recording))).filter(
      (line) => !leftOut.some((data) => data.includes(line.slice(line.lastIndexOf(' ') + 1))),
    )
  })
  const seen = signaturesIn(parseJson(text))
  tally('signatures returned', expected.length)
  if (expected.length === 0) return []
  if (expected.join('\n') === seen.join('\n')) return []
  return [`${expected.length} signed: ${show(expected)} → ${seen.length}: ${show(seen)}`]
}

/** Clients of messages treat the last block as the answer, so tokens after its text are left out. */
function behindLastWords(recording: Recording): string[] {
  const parts = translateReply(recording, 'messages').events
  const folded = foldReply(parts).answers[0]?.parts.map(({ part }) => part) ?? []
  const isToken = (part: Part) => part.type === 'reasoning' && part.text === ''
  const last = folded.findLastIndex((part) => !isToken(part))
  if (folded[last]?.type !== 'text') return []
  return folded
    .slice(last)
    .flatMap((part) => ('opaque' in part && part.opaque ? [part.opaque.data] : []))
}

/**
 * Reasoning before a hosted tool call is dropped together with the call if the client's protocol cannot express the
 * call.
 */
function withoutOrphans(whole: unknown): unknown {
  const output = digList(whole, 'output')
  if (output.length === 0) return whole
  const isKept = (item: unknown, at: number) =>
    digText(item, 'type') !== 'reasoning' ||
    ['message', 'function_call', 'custom_tool_call'].includes(digText(output[at + 1], 'type'))
  return { output: output.filter(isKept) }
}

function strangerProblems(recordings: readonly Recording[], client: ProtocolName): string[] {
  const [first] = recordings
  if (!first) return ['no recording']
  const body = bodyAfter(recordings, client)
  const signatures = recordings
    .flatMap((recording) => signaturesIn(wholeOf(recording)))
    .map((line) => line.slice(line.indexOf(' ') + 1))
  return protocolNames.flatMap((upstream) => {
    // A native signature of the client's own protocol may belong to this vendor, which cannot be determined.
    if (upstream === client && upstream === first.protocol) return []
    const text = send(body, client, upstream, 'stranger/none')
    const leaked = signatures.filter((signature) => text.includes(signature))
    const isEnvelope = /gw1\.[se]\.|Z3cxLnMu|Z3cxLmUu/.test(text)
    return [
      ...leaked.map((signature) => `${upstream} sees ${signature.slice(0, 30)}`),
      ...(isEnvelope ? [`${upstream} sees an envelope`] : []),
    ]
  })
}

/** Members with signed or encrypted data of a vendor. */
const opaqueMembers = new Set([
  'signature',
  'encrypted_content',
  'thoughtSignature',
  'thought_signature',
])

/** Every opaque value in order, with its position: the name of its call or the kind of its part. */
function signaturesIn(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => signaturesIn(each, place))
  if (!isObject(value)) return []
  const here = placeOf(value) || place
  return Object.entries(value).flatMap(([name, member]) => {
    const isData = name === 'data' && /redacted|encrypted/.test(digText(value, 'type'))
    // Results of a hosted search are encrypted too, but are not reasoning.
    const isResult = digText(value, 'type') === 'web_search_result'
    const isOpaque = (opaqueMembers.has(name) || isData) && typeof member === 'string' && !isResult
    const isDummy = member === '' || member === 'skip_thought_signature_validator'
    if (isOpaque) return isDummy ? [] : [`${here} ${member}`]
    return signaturesIn(member, here)
  })
}

function placeOf(value: JsonObject): string {
  const call = dig(value, 'functionCall', 'name') ?? dig(value, 'function', 'name')
  if (typeof call === 'string') return `call:${call}`
  return digText(value, 'type')
}

function show(list: readonly string[]): string {
  return list.map((each) => each.slice(0, 40)).join(' | ')
}
