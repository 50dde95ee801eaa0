import { isObject } from '../../../src/wire/json.ts'
import { dig, digList, digNumber, digText } from '../dig.ts'
import type { WireEvent } from '../read-sse.ts'
import { argumentsOf, inputOf } from './call-arguments.ts'
import type { AnswerGist, CallGist, FinishClass, Gist, GistReader, UsageGist } from './gist.ts'
import { imageGist } from './image-gist.ts'

export const chatCompletionsGist: GistReader = { accumulate, read }

interface OpenCall {
  readonly key: unknown
  id: string
  type: string
  name: string
  arguments: string
}

interface OpenChoice {
  content: string
  reasoning: string
  readonly details: Record<string, unknown>[]
  refusal: string
  images: unknown[]
  finish: unknown
  legacy: { name: string; arguments: string } | undefined
  readonly calls: OpenCall[]
}

function accumulate(events: readonly WireEvent[]): unknown {
  const choices: OpenChoice[] = []
  let usage: unknown
  let error: unknown
  for (const { json } of events) {
    error ??= dig(json, 'error') ?? undefined
    const reported = dig(json, 'usage') ?? dig(json, 'x_groq', 'usage')
    if (isObject(reported)) usage = reported
    for (const choice of digList(json, 'choices')) addChoice(choices, choice)
  }
  return { choices: choices.map(closeChoice), usage, error }
}

function addChoice(choices: OpenChoice[], chunk: unknown): void {
  const index = digNumber(chunk, 'index')
  const choice = choices[index] ?? newChoice()
  choices[index] = choice
  const delta = dig(chunk, 'delta') ?? dig(chunk, 'message')
  choice.content += textOfContent(dig(delta, 'content'))
  choice.reasoning += plainReasoningOf(delta)
  for (const detail of digList(delta, 'reasoning_details')) addDetail(choice.details, detail)
  choice.refusal += digText(delta, 'refusal')
  choice.images.push(...digList(delta, 'images'))
  choice.finish = dig(chunk, 'finish_reason') ?? choice.finish
  for (const call of digList(delta, 'tool_calls')) addCall(choice.calls, call)
  if (isObject(dig(delta, 'function_call'))) {
    choice.legacy = {
      name: (choice.legacy?.name ?? '') + digText(delta, 'function_call', 'name'),
      arguments: (choice.legacy?.arguments ?? '') + digText(delta, 'function_call', 'arguments'),
    }
  }
}

/** Pieces of one detail have the same index and type; each field is the concatenation of its pieces. */
function addDetail(details: Record<string, unknown>[], piece: unknown): void {
  if (!isObject(piece)) return
  const known = details.find(
    (each) => each['index'] === piece['index'] && each['type'] === piece['type'],
  )
  if (!known) details.push({ ...piece })
  else {
    for (const name of ['text', 'summary', 'data', 'signature']) {
      if (typeof piece[name] === 'string') known[name] = digText(known, name) + piece[name]
    }
  }
}

function newChoice(): OpenChoice {
  return {
    content: '',
    reasoning: '',
    details: [],
    refusal: '',
    images: [],
    finish: undefined,
    legacy: undefined,
    calls: [],
  }
}

function addCall(calls: OpenCall[], chunk: unknown): void {
  const id = digText(chunk, 'id')
  const key = dig(chunk, 'index') ?? (id === '' ? calls.at(-1)?.key : id)
  let call = calls.find((each) => each.key === key)
  if (!call) {
    call = { key, id, type: digText(chunk, 'type'), name: '', arguments: '' }
    calls.push(call)
  }
  call.id ||= id
  const inner = dig(chunk, 'custom') ?? dig(chunk, 'function')
  const name = digText(inner, 'name')
  // Some vendors repeat the name in every chunk, some divide it.
  if (call.name !== name) call.name += name
  call.arguments += digText(inner, 'arguments') + digText(inner, 'input')
}

function closeChoice(choice: OpenChoice): unknown {
  const calls = choice.calls.map(({ id, type, name, arguments: text }) =>
    type === 'custom'
      ? { id, type, custom: { name, input: text } }
      : { id, type: 'function', function: { name, arguments: text } },
  )
  return {
    finish_reason: choice.finish,
    message: {
      role: 'assistant',
      content: choice.content,
      reasoning_content: choice.reasoning,
      reasoning_details: choice.details,
      refusal: choice.refusal,
      images: choice.images,
      function_call: choice.legacy,
      tool_calls: calls,
    },
  }
}

function read(whole: unknown): Gist {
  return {
    answers: digList(whole, 'choices').map(readChoice),
    usage: readUsage(dig(whole, 'usage')),
    isFault: dig(whole, 'error') !== undefined && dig(whole, 'error') !== null,
  }
}

function readChoice(choice: unknown): AnswerGist {
  const message = dig(choice, 'message')
  const calls = readCalls(message)
  const refusal = digText(message, 'refusal')
  return {
    text: textOfContent(dig(message, 'content')),
    reasoning: reasoningOf(message),
    refusal,
    calls,
    mediaCount: digList(message, 'images').length + (isObject(dig(message, 'audio')) ? 1 : 0),
    images: digList(message, 'images').map((each) => imageGist(digText(each, 'image_url', 'url'))),
    finish: finishOf(dig(choice, 'finish_reason'), calls.length > 0, refusal !== ''),
  }
}

function readCalls(message: unknown): CallGist[] {
  const calls = digList(message, 'tool_calls').map((call) => ({
    id: digText(call, 'id'),
    name: digText(call, 'function', 'name') || digText(call, 'custom', 'name'),
    arguments:
      digText(call, 'type') === 'custom'
        ? inputOf(dig(call, 'custom', 'input'))
        : argumentsOf(dig(call, 'function', 'arguments')),
  }))
  const legacy = dig(message, 'function_call')
  if (!isObject(legacy)) return calls
  const read = {
    id: '',
    name: digText(legacy, 'name'),
    arguments: argumentsOf(legacy['arguments']),
  }
  return [...calls, read]
}

function finishOf(reason: unknown, hasCalls: boolean, isRefusal: boolean): FinishClass {
  if (reason === undefined || reason === null) return 'none'
  if (reason === 'length') return 'length'
  if (reason === 'content_filter' || isRefusal) return 'filter'
  if (hasCalls) return 'tool'
  return reason === 'stop' ? 'stop' : 'odd'
}

/** Mistral sends a list of parts, which may include reasoning. */
function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content
  return digList(content)
    .filter((part) => digText(part, 'type') === 'text')
    .map((part) => digText(part, 'text'))
    .join('')
}

/** A client reads the plain field or the details, never both, because they have the same content. */
function plainReasoningOf(message: unknown): string {
  return digText(message, 'reasoning_content') || digText(message, 'reasoning')
}

function reasoningOf(message: unknown): string {
  const plain = plainReasoningOf(message)
  if (plain !== '') return plain
  const details = digList(message, 'reasoning_details')
    .map((detail) => digText(detail, 'text') || digText(detail, 'summary'))
    .join('')
  if (details !== '') return details
  return digList(message, 'content')
    .flatMap((part) => digList(part, 'thinking'))
    .map((part) => digText(part, 'text'))
    .join('')
}

function readUsage(usage: unknown): UsageGist | undefined {
  if (!isObject(usage)) return undefined
  const input = digNumber(usage, 'prompt_tokens')
  const completion = digNumber(usage, 'completion_tokens')
  const reasoning = digNumber(usage, 'completion_tokens_details', 'reasoning_tokens')
  // xAI counts reasoning in addition to the completion and includes it in the total; others do not even include it
  // there.
  const isInTotal = digNumber(usage, 'total_tokens') === input + completion + reasoning
  const isBeside = (reasoning > 0 && isInTotal) || reasoning > completion
  const cached = dig(usage, 'prompt_tokens_details', 'cached_tokens') ?? usage['cached_tokens']
  return {
    input,
    cacheRead: typeof cached === 'number' ? cached : digNumber(usage, 'prompt_cache_hit_tokens'),
    cacheWrite: digNumber(usage, 'prompt_tokens_details', 'cache_write_tokens'),
    output: isBeside ? completion + reasoning : completion,
    reasoning,
  }
}
