import { isUtf8 } from 'node:buffer'
import { joinSlowly } from '../../core/runtime/join-slowly.ts'
import { turns } from '../../core/runtime/turns.ts'
import { estimateLongText } from '../../protocols/measure/text-meter.ts'
import { CutJson, type CutRules, type JsonCut } from '../../wire/cut-json.ts'
import type { CutStore } from '../../wire/cut-store.ts'
import type { MemberSpan } from '../../wire/find-members.ts'
import { isObject, stringAt } from '../../wire/json.ts'
import type { JsonLimits } from '../../wire/json-limits.ts'
import { SlicedJson, unitsATurn } from '../../wire/sliced-json.ts'
import { roughlyUnescaped } from '../../wire/text-cuts.ts'
import { isCarriedInReply } from './reply-paths.ts'

/** A longer reply or event is read in turns. Reading a shorter one takes a few milliseconds at most. */
export const longReplyBytes = 128 * 1024

/** The limit of one turn: a few milliseconds of work. */
const bytesATurn = 1024 * 1024

/** No model writes a text as long as the first limit. If that is not enough, strings above the second are cut out. */
const cutRules: readonly CutRules[] = [1024 * 1024, 4 * 1024].map((stringBytesMin) => ({
  stringBytesMin,
  fileBytesMin: 4 * 1024,
  skipped: [
    // Log probabilities of 16,000 tokens, 20 for each, are two million values, and no charge depends on them.
    { name: 'logprobs', kind: 'detail', depthMax: 6 },
    { name: 'logprobsResult', kind: 'detail', depthMax: 6 },
    // The responses protocol repeats the tools and the schema of the request in every reply.
    { name: 'tools', kind: 'echo', depthMax: 2 },
    { name: 'text', kind: 'echo', depthMax: 2 },
  ],
}))

interface Limits extends JsonLimits {
  /** Not counting long texts, files and log probabilities. */
  readonly bytesMax: number
  /** Log probabilities of more bytes are skipped. */
  readonly skippedBytesMax: number
}

const common = { depthMax: 128, nameCharactersMax: 1024 * 1024, isLenient: true } as const
/** For replies that are read in slices and never written again. */
const passedLimits: Limits = {
  ...common,
  nodesMax: 200_000,
  bytesMax: 8 * 1024 * 1024,
  skippedBytesMax: 0,
}
/** For replies that are read and written in one step, as a request is; see `leanBody`. */
const translatedLimits: Limits = {
  ...common,
  nodesMax: 50_000,
  bytesMax: 4 * 1024 * 1024,
  skippedBytesMax: 512 * 1024,
}

/** A JSON text of an upstream that was too long to be read at once. */
export interface LongReply {
  readonly isRead: true
  /** The JSON text, with marks of the store in place of long texts. */
  readonly text: string
  readonly value: unknown
  /** The positions of the top-level members in the text. */
  readonly members: ReadonlyMap<string, MemberSpan>
  /** The size of these texts, and their estimated tokens in case the upstream reports no usage. */
  readonly cutBytes: number
  readonly cutTokens: number
  readonly hasLostLogprobs: boolean
}

export interface UnreadReply {
  readonly isRead: false
  /** False when the reply is not JSON at all. */
  readonly isJson: boolean
  readonly problem: string
}

const notJson: UnreadReply = { isRead: false, isJson: false, problem: 'it is not valid JSON' }

/**
 * Reads a long reply in turns. Long texts and files go into the store; `eventType` decides what a translation may carry
 * over. Without `translated`, for a reply that passes through, all long strings, log probabilities and echoes are cut
 * out.
 */
export async function readLongReply(
  reply: Uint8Array,
  store: CutStore,
  translated: { readonly eventType: string | undefined } | undefined,
): Promise<LongReply | UnreadReply> {
  const bytes = await wellFormed(reply)
  const limits = translated ? translatedLimits : passedLimits
  for (const [index, rules] of cutRules.entries()) {
    const cutter = new CutJson(bytes, rules)
    do await turns.next()
    while (!cutter.run(bytesATurn))
    if (cutter.isBroken) return notJson
    const kept = bytes.length - lengthOf(cutter.cuts)
    if (kept > limits.bytesMax && index < cutRules.length - 1) continue
    return afterTurn(readCut(bytes, cutter.cuts, store, translated, limits))
  }
  return notJson
}

/** Gives the code that uses the value a turn of its own. */
async function afterTurn<Value>(reading: Promise<Value>): Promise<Value> {
  const value = await reading
  await turns.next()
  return value
}

async function readCut(
  bytes: Uint8Array,
  found: readonly JsonCut[],
  store: CutStore,
  translated: { readonly eventType: string | undefined } | undefined,
  limits: Limits,
): Promise<LongReply | UnreadReply> {
  const detailBytes = lengthOf(found.filter(({ kind }) => kind === 'detail'))
  const isSkipped = detailBytes > limits.skippedBytesMax
  const read = await readMarked(bytes, found, store, { translated, limits, isSkipped })
  // Even short log probabilities have many names and items. Skipping them is better than failing to read the reply.
  if (read.isRead || !read.isJson || isSkipped || detailBytes === 0) return read
  return readMarked(bytes, found, store, { translated, limits, isSkipped: true })
}

interface Reading {
  readonly translated: { readonly eventType: string | undefined } | undefined
  readonly limits: Limits
  /** Whether log probabilities are left out. */
  readonly isSkipped: boolean
}

async function readMarked(
  bytes: Uint8Array,
  found: readonly JsonCut[],
  store: CutStore,
  { translated, limits, isSkipped }: Reading,
): Promise<LongReply | UnreadReply> {
  const isPassed = translated === undefined
  const marked = found.flatMap((cut) => markCut(cut, bytes, store, { isSkipped, isPassed }) ?? [])
  const cutTokens = tokensOf(bytes, marked)
  const read = async (cuts: readonly MarkedCut[]) => {
    const text = await writeLean(bytes, cuts, limits)
    const scanned = typeof text === 'string' ? await scan(text, limits, translated) : text
    if (!scanned.isRead) return scanned
    const hasLostLogprobs = translated !== undefined && isSkipped
    return {
      ...scanned,
      cutBytes: lengthOf(cuts.filter(({ kind }) => kind === 'text')),
      cutTokens,
      hasLostLogprobs,
    }
  }
  const first = await read(marked)
  if (!translated || !first.isRead) return first
  // Strings that cannot be carried over are put back and translated with everything else.
  const carried = new Set(first.carried.flatMap((text) => [...store.marksIn(text)]))
  const stays = marked.filter(({ kind, mark }) => kind !== 'text' || carried.has(mark))
  return stays.length === marked.length ? first : read(stays)
}

interface MarkedCut extends JsonCut {
  readonly mark: string
}

/** Undefined for a cut that is put back. */
function markCut(
  cut: JsonCut,
  bytes: Uint8Array,
  store: CutStore,
  { isSkipped, isPassed }: { readonly isSkipped: boolean; readonly isPassed: boolean },
): MarkedCut | undefined {
  if (isPassed && cut.kind !== 'text')
    return { ...cut, mark: store.addValue(bytes.subarray(cut.start, cut.end)) }
  if (cut.kind === 'echo' || (cut.kind === 'detail' && isSkipped)) return { ...cut, mark: 'null' }
  if (cut.kind === 'detail') return undefined
  const mark = store.add(bytes.subarray(cut.start, cut.end))
  return mark === undefined ? undefined : { ...cut, mark }
}

/** The text with marks in place of the cuts. */
async function writeLean(
  bytes: Uint8Array,
  cuts: readonly MarkedCut[],
  { bytesMax }: Limits,
): Promise<string | UnreadReply> {
  await turns.next()
  if (bytes.length - lengthOf(cuts) > bytesMax) {
    const problem = `it has more than ${bytesMax} bytes besides long texts and files`
    return { isRead: false, isJson: true, problem }
  }
  const pieces: Uint8Array[] = []
  let at = 0
  for (const { start, end, mark } of cuts) {
    pieces.push(bytes.subarray(at, start), Buffer.from(mark))
    at = end
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]).toString()
}

interface Scanned {
  readonly isRead: true
  readonly text: string
  readonly value: unknown
  readonly members: ReadonlyMap<string, MemberSpan>
  /** The strings that a translation carries over. */
  readonly carried: readonly string[]
}

async function scan(
  text: string,
  limits: Limits,
  translated: { readonly eventType: string | undefined } | undefined,
): Promise<Scanned | UnreadReply> {
  const reader = new SlicedJson(text, limits, () => translated !== undefined)
  do await turns.next()
  while (!reader.run(unitsATurn))
  const { problem, root: value, longStrings, members } = reader
  if (problem !== undefined) return { isRead: false, isJson: !reader.isNotJson, problem }
  const type = (isObject(value) ? stringAt(value, 'type') : undefined) ?? translated?.eventType
  const carried = longStrings
    .filter(({ path }) => isCarriedInReply(path, type))
    .map(({ start, end }) => text.slice(start, end))
  return { isRead: true, text, value, members, carried }
}

function lengthOf(cuts: readonly JsonCut[]): number {
  let length = 0
  for (const { start, end } of cuts) length += end - start
  return length
}

/** Replaces invalid UTF-8 with replacement characters, as in a short reply. */
async function wellFormed(bytes: Uint8Array): Promise<Uint8Array> {
  await turns.next()
  if (isUtf8(bytes)) return bytes
  const decoder = new TextDecoder()
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += bytesATurn) {
    await turns.next()
    const stream = at + bytesATurn < bytes.length
    pieces.push(Buffer.from(decoder.decode(bytes.subarray(at, at + bytesATurn), { stream })))
  }
  return joinSlowly(pieces)
}

/** Matches base64 files: their tokens cannot be estimated from their text. */
const base64Run = /^[A-Za-z0-9+/_=\\-]+$/
const sampleBytes = 1_024
const decoder = new TextDecoder()

function tokensOf(bytes: Uint8Array, cuts: readonly JsonCut[]): number {
  let tokens = 0
  for (const { start, end, kind } of cuts) {
    if (kind !== 'text') continue
    const middle = start + Math.floor((end - start) / 2)
    const sample = decoder.decode(bytes.subarray(middle, Math.min(end, middle + sampleBytes)))
    if (base64Run.test(sample)) continue
    tokens += estimateLongText(
      (from, length) =>
        roughlyUnescaped(decoder.decode(bytes.subarray(start + from, start + from + length))),
      end - start,
    )
  }
  return tokens
}
