import { isObject, type JsonObject } from '../../../src/wire/json.ts'
import { dig, digList, digNumber, digText } from '../dig.ts'
import type { WireEvent } from '../read-sse.ts'
import type { AnswerGist, FinishClass, Gist, GistReader, UsageGist } from './gist.ts'
import { imageGist } from './image-gist.ts'

export const generateContentGist: GistReader = { accumulate, read }

interface OpenCandidate {
  readonly index: number
  readonly parts: unknown[]
  finishReason: unknown
  finishMessage: unknown
}

function accumulate(events: readonly WireEvent[]): unknown {
  const candidates: OpenCandidate[] = []
  let usageMetadata: unknown
  let promptFeedback: unknown
  let error: unknown
  for (const { json } of events) {
    usageMetadata = dig(json, 'usageMetadata') ?? usageMetadata
    promptFeedback = dig(json, 'promptFeedback') ?? promptFeedback
    error ??= dig(json, 'error')
    for (const chunk of digList(json, 'candidates')) {
      const index = digNumber(chunk, 'index')
      const candidate = candidates[index] ?? newCandidate(index)
      candidates[index] = candidate
      candidate.parts.push(...partsOf(chunk))
      candidate.finishReason = dig(chunk, 'finishReason') ?? candidate.finishReason
      candidate.finishMessage = dig(chunk, 'finishMessage') ?? candidate.finishMessage
    }
  }
  const closed = candidates.map(({ parts, ...rest }) => ({ ...rest, content: { parts } }))
  return { candidates: closed, usageMetadata, promptFeedback, error }
}

function newCandidate(index: number): OpenCandidate {
  return { index, parts: [], finishReason: undefined, finishMessage: undefined }
}

function partsOf(candidate: unknown): readonly unknown[] {
  return digList(candidate, 'content', 'parts')
}

function read(whole: unknown): Gist {
  const answers = digList(whole, 'candidates').map(readCandidate)
  const isBlocked = digText(whole, 'promptFeedback', 'blockReason') !== ''
  return {
    answers: answers.length === 0 && isBlocked ? [blocked] : answers,
    usage: readUsage(dig(whole, 'usageMetadata')),
    isFault: isObject(dig(whole, 'error')),
  }
}

const blocked: AnswerGist = {
  text: '',
  reasoning: '',
  refusal: '',
  calls: [],
  mediaCount: 0,
  images: [],
  finish: 'filter',
}

function readCandidate(candidate: unknown): AnswerGist {
  const parts = partsOf(candidate)
  const textOf = (isThought: boolean) =>
    parts
      .filter((part) => (dig(part, 'thought') === true) === isThought)
      .map((part) => digText(part, 'text'))
      .join('')
  const isPieced = parts.some((part) => dig(part, 'functionCall', 'partialArgs') !== undefined)
  const calls = parts.flatMap((part) => {
    const call = dig(part, 'functionCall')
    if (!isObject(call) || call['name'] === undefined || isAnswered(parts, call)) return []
    // Only the decoder joins arguments that arrive in pieces; see its own tests.
    const own = isPieced ? undefined : (call['args'] ?? {})
    return [{ id: digText(call, 'id'), name: digText(call, 'name'), arguments: own }]
  })
  const finish = finishOf(dig(candidate, 'finishReason'), calls.length > 0)
  return {
    text: textOf(false),
    reasoning: textOf(true),
    refusal: finish === 'filter' ? digText(candidate, 'finishMessage') : '',
    calls,
    mediaCount: parts.filter((part) => isObject(dig(part, 'inlineData'))).length,
    images: parts
      .filter((part) => digText(part, 'inlineData', 'mimeType').startsWith('image/'))
      .map((part) => imageGist(digText(part, 'inlineData', 'data'))),
    finish,
  }
}

/** If the response of a call is beside it, the vendor executed the call. */
function isAnswered(parts: readonly unknown[], call: JsonObject): boolean {
  return parts.some((part) => dig(part, 'functionResponse', 'name') === call['name'])
}

const filters = new Set(['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'])

function finishOf(reason: unknown, hasCalls: boolean): FinishClass {
  if (reason === undefined || reason === null) return 'none'
  // Some clients request numbers instead of names.
  if (reason === 'MAX_TOKENS' || reason === 2) return 'length'
  if (reason === 'STOP' || reason === 1) return hasCalls ? 'tool' : 'stop'
  return typeof reason === 'string' && filters.has(reason) ? 'filter' : 'odd'
}

function readUsage(usage: unknown): UsageGist | undefined {
  if (!isObject(usage)) return undefined
  const reasoning = digNumber(usage, 'thoughtsTokenCount')
  return {
    input: digNumber(usage, 'promptTokenCount') + digNumber(usage, 'toolUsePromptTokenCount'),
    cacheRead: digNumber(usage, 'cachedContentTokenCount'),
    cacheWrite: 0,
    output: digNumber(usage, 'candidatesTokenCount') + reasoning,
    reasoning,
  }
}
