import { Fault } from '../../core/fault.ts'
import { type Nano, smallerOf } from '../../core/money/money.ts'
import { longBodyLength, turns } from '../../core/runtime/turns.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import type { Candidate } from '../../routing/route-set.ts'
import { findMembers } from '../../wire/find-members.ts'
import { isObject, parseJson } from '../../wire/json.ts'
import type { TextCuts } from '../../wire/text-cuts.ts'
import { framingTokens } from '../admit/bound-input.ts'
import { openingTokens, tightTextTokens } from '../admit/bound-text.ts'
import { ledgerFault } from '../admit/ledger-fault.ts'
import { refuseShortage } from '../admit/reserve.ts'
import { sizeHold } from '../admit/size-hold.ts'
import type { Exchange } from '../exchange.ts'

/** A request body that differs from the client's own. */
export interface SentBody {
  readonly text: string
  /** The parts of a long body that the text has marks for. */
  readonly cuts: TextCuts | undefined
  /** The protocol of the text. */
  readonly protocol: Protocol
  readonly candidate: Candidate
  /** Something was left out in translation, perhaps an image. */
  readonly hasLoss: boolean
}

/**
 * The hold covers the client's text, and a translation may add to it: instructions, names, restored reasoning, expanded
 * schemas. Before the request is sent, the hold is extended if the body to be sent could cost more. Throws when there
 * is no money for that; another upstream may still take the request as it is.
 */
export function extendHold(exchange: Exchange, sent: SentBody): void | Promise<void> {
  // The hold covers a whole context window already.
  if (exchange.input.measure.isOpen) return
  if (isLong(sent)) {
    return countBytes(sent).then((bytes) => coverBytes(exchange, sent, bytes))
  }
  const cover = () => coverBytes(exchange, sent, Buffer.byteLength(sent.text))
  // Writing the body took a turn of its own, and reading it again takes as long.
  return exchange.body.nodes === undefined ? cover() : turns.next().then(cover)
}

function isLong({ text, cuts }: SentBody): boolean {
  return cuts !== undefined || text.length > longBodyLength
}

async function countBytes({ text, cuts }: SentBody): Promise<number> {
  await turns.next()
  if (cuts) return cuts.byteLengthOf(text)
  let bytes = 0
  for (let at = 0; at < text.length; at += longBodyLength) {
    await turns.next()
    // A surrogate pair split here counts as six bytes instead of four, so the count is never too low.
    bytes += Buffer.byteLength(text.slice(at, at + longBodyLength))
  }
  return bytes
}

function coverBytes(exchange: Exchange, sent: SentBody, bytes: number): void | Promise<void> {
  const { grantedNano } = exchange.hold
  const mediaBytes = mediaBytesIn(exchange, sent)
  const wideNano = amountFor(exchange, sent, bytes - mediaBytes + framingOf(sent))
  if (wideNano <= grantedNano) return
  const tightTokens = tightTokensOf(sent)
  const tightNano =
    tightTokens === undefined ? wideNano : amountFor(exchange, sent, tightTokens - mediaBytes)
  const neededNano = smallerOf(tightNano, wideNano)
  if (neededNano <= grantedNano) return
  return extend(exchange, neededNano)
}

/**
 * The tokens that an upstream adds around the text. Without tools this is the allowance of the tighter bound, whose
 * other counts are less than the JSON here. So a short request that grows little in translation is not read again.
 */
function framingOf(sent: SentBody): number {
  return isLong(sent) || mayHaveTools.test(sent.text) ? framingTokens : openingTokens
}

/** A route's parameters can add tools, and the client may have escaped the names. */
const mayHaveTools = /"(?:tools|functions)"|\\u/

/** The bytes of the images that are still in the body. */
function mediaBytesIn({ input }: Exchange, sent: SentBody): number {
  const { text, protocol, hasLoss } = sent
  const { mediaBytes } = input.measure
  if (mediaBytes === 0 || !hasLoss) return mediaBytes
  if (isLong(sent)) return 0
  const value = parseJson(text)
  if (!isObject(value)) return 0
  return Math.min(mediaBytes, protocol.passThrough.measureInput(value).mediaBytes)
}

/** Undefined for a long text, because reading it would block the event loop. */
function tightTokensOf(sent: SentBody): number | undefined {
  const { text } = sent
  if (isLong(sent)) return undefined
  const value = parseJson(text)
  return isObject(value) ? tightTextTokens({ text, value, members: findMembers(text) }) : undefined
}

function amountFor(
  { protocol, facts, input, callsMax, constraint }: Exchange,
  { candidate }: SentBody,
  textTokens: number,
): Nano {
  const bound = { ...input, textTokens }
  const candidates = [candidate]
  const params = { client: protocol.name, facts, input: bound, candidates, callsMax }
  return sizeHold(params, constraint?.tokensMax).amountNano
}

async function extend({ hold, caller: { key } }: Exchange, neededNano: Nano): Promise<void> {
  if (await hold.extend(neededNano - hold.grantedNano)) return
  const refusal = await hold.explainShortage(neededNano).catch((error: unknown) => {
    throw ledgerFault(error)
  })
  const { code, message, details } = refuseShortage(refusal, neededNano, key)
  throw new Fault(
    code,
    `This request grows when it is translated for the upstream of its model. ${message} A model whose upstream speaks your protocol needs less.`,
    { ...details, isUntranslatable: true },
  )
}
