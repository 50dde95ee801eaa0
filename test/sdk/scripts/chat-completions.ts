import { type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { chatCompletions } from '../../support/protocols/chat-completions.ts'
import { dig, frame, list } from '../../support/protocols/test-protocol.ts'
import {
  type Answer,
  type AnsweredCall,
  type Call,
  faultMessage,
  type Image,
  type Script,
  textOf,
} from './answer.ts'
import { choiceOf } from './choice-of.ts'
import { readDataUrl } from './read-data-url.ts'
import { requireThat } from './require-that.ts'

const { usage } = chatCompletions
const envelope = { id: 'chatcmpl-s', created: 1, model: 'theirs' }

export const chatScript: Script = {
  protocol: 'chat-completions',
  whole: (answer) => {
    const choice = { index: 0, message: message(answer), finish_reason: finish(answer) }
    return JSON.stringify({ ...envelope, object: 'chat.completion', choices: [choice], usage })
  },
  frames: (answer) => [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...(answer.thought ? [chunk(thoughtOf(answer.thought))] : []),
    ...(answer.pieces ?? []).map((content) => chunk({ content })),
    ...(answer.refusal ? [chunk({ refusal: answer.refusal })] : []),
    ...(answer.calls ?? []).flatMap(callFrames),
    chunk({}, finish(answer)),
    frame({ ...envelope, object: 'chat.completion.chunk', choices: [], usage }),
    frame('[DONE]'),
  ],
  faultFrame: frame({ error: { message: faultMessage, type: 'server_error', code: null } }),
  readCalls,
  readImages: (body) =>
    list(dig(body, 'messages'))
      .flatMap((each) => list(dig(each, 'content')))
      .filter((part) => dig(part, 'type') === 'image_url')
      .map((part): Image => readDataUrl(dig(part, 'image_url', 'url'))),
  readSchema: (body) => dig(body, 'response_format', 'json_schema', 'schema'),
  readTools: (body) => list(dig(body, 'tools')).map((tool) => dig(tool, 'function', 'name')),
  readChoice: (body) => {
    const choice = dig(body, 'tool_choice')
    if (list(dig(body, 'tools')).length === 0) return 'never'
    return choiceOf(typeof choice === 'string' ? choice : dig(choice, 'function', 'name'))
  },
  readSystem: (body) => {
    const first = dig(body, 'messages', 0)
    requireThat(dig(first, 'role') === 'system', 'the first message is the system’s')
    const content = dig(first, 'content')
    return typeof content === 'string' ? content : dig(content, 0, 'text')
  },
  readLimit: (body) => dig(body, 'max_completion_tokens') ?? dig(body, 'max_tokens'),
}

function finish({ calls, isCutShort }: Answer): string {
  if (isCutShort) return 'length'
  return calls ? 'tool_calls' : 'stop'
}

function thoughtOf({ text, token }: NonNullable<Answer['thought']>): JsonObject {
  const detail = { type: 'reasoning.text', text, signature: token, format: 'theirs', index: 0 }
  return { reasoning_content: text, reasoning_details: [detail] }
}

function message(answer: Answer): JsonObject {
  const { thought, pieces, refusal = null, calls } = answer
  const called = (calls ?? []).map((call, index) => callOf(call, index, JSON.stringify(call.input)))
  return {
    role: 'assistant',
    content: pieces ? textOf(answer) : null,
    refusal,
    ...(thought ? thoughtOf(thought) : {}),
    ...(calls ? { tool_calls: called } : {}),
  }
}

function callOf({ name }: Call, index: number, input: string): JsonObject {
  return { id: idOf(index), type: 'function', function: { name, arguments: input } }
}

function idOf(index: number): string {
  return `call_chat${index}`
}

function callFrames(call: Call, index: number): readonly string[] {
  const text = JSON.stringify(call.input)
  const halves = [text.slice(0, 7), text.slice(7)]
  return [
    chunk({ tool_calls: [{ index, ...callOf(call, index, '') }] }),
    ...halves.map((half) => chunk({ tool_calls: [{ index, function: { arguments: half } }] })),
  ]
}

function chunk(delta: JsonObject, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  return frame({ ...envelope, object: 'chat.completion.chunk', choices, usage: null })
}

/** One tool message for each call, before everything else. */
function readCalls(body: unknown, madeBy = 'this'): readonly AnsweredCall[] {
  const messages = list(dig(body, 'messages'))
  const at = messages.findLastIndex((each) => list(dig(each, 'tool_calls')).length > 0)
  const calls = list(dig(messages[at], 'tool_calls'))
  requireThat(dig(messages[at], 'role') === 'assistant', 'calls stand in the assistant’s message')
  return calls.map((call, index) => {
    const result = messages.slice(at + 1, at + 1 + calls.length).find((each) => {
      return dig(each, 'role') === 'tool' && dig(each, 'tool_call_id') === dig(call, 'id')
    })
    const isOwn = madeBy === 'others' || dig(call, 'id') === idOf(index)
    requireThat(isOwn, 'the call has its own id again')
    requireThat(dig(call, 'type') === 'function', 'the call says that it is one of a function')
    requireThat(result !== undefined, 'its result is a tool message right behind the calls')
    const content = dig(result, 'content')
    return {
      name: String(dig(call, 'function', 'name')),
      input: parseJson(String(dig(call, 'function', 'arguments'))) as JsonObject,
      result: typeof content === 'string' ? content : dig(content, 0, 'text'),
    }
  })
}
