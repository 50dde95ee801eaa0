import type { JsonObject } from '../../../src/wire/json.ts'
import { messages } from '../../support/protocols/messages.ts'
import { dig, frame, list } from '../../support/protocols/test-protocol.ts'
import {
  type Answer,
  type AnsweredCall,
  faultMessage,
  type Image,
  type Script,
  textOf,
} from './answer.ts'
import { choiceOf } from './choice-of.ts'
import { requireThat } from './require-that.ts'

const { usage } = messages

export const messagesScript: Script = {
  protocol: 'messages',
  whole: (answer) =>
    JSON.stringify({ ...envelope, content: blocks(answer), ...ending(answer), usage }),
  frames: (answer) => [
    step('message_start', {
      message: {
        ...envelope,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1, output_tokens_details: { thinking_tokens: 0 } },
      },
    }),
    step('ping', {}),
    ...blocks(answer).flatMap((block, index) => blockFrames(answer, block, index)),
    step('message_delta', { delta: ending(answer), usage }),
    step('message_stop', {}),
  ],
  faultFrame: step('error', { error: { type: 'api_error', message: faultMessage } }),
  readCalls,
  readImages: (body) =>
    list(dig(body, 'messages'))
      .flatMap((each) => list(dig(each, 'content')))
      .filter((block) => dig(block, 'type') === 'image')
      .map((block): Image => {
        requireThat(dig(block, 'source', 'type') === 'base64', 'the source is base64')
        return {
          mime: String(dig(block, 'source', 'media_type')),
          data: String(dig(block, 'source', 'data')),
        }
      }),
  readSchema: (body) => dig(body, 'output_config', 'format', 'schema'),
  readTools: (body) => list(dig(body, 'tools')).map((tool) => dig(tool, 'name')),
  readChoice: (body) => {
    if (list(dig(body, 'tools')).length === 0) return 'never'
    const choice = dig(body, 'tool_choice')
    return choiceOf(dig(choice, 'type') === 'tool' ? dig(choice, 'name') : dig(choice, 'type'))
  },
  readSystem: (body) => {
    const system = dig(body, 'system')
    return typeof system === 'string' ? system : dig(system, 0, 'text')
  },
  readLimit: (body) => dig(body, 'max_tokens'),
}

const envelope = { id: 'msg_theirs', type: 'message', role: 'assistant', model: 'theirs' }

function ending({ calls, isCutShort, refusal }: Answer): JsonObject {
  const words = refusal ? { type: 'refusal', category: null, explanation: refusal } : undefined
  const reason = isCutShort ? 'max_tokens' : calls ? 'tool_use' : refusal ? 'refusal' : 'end_turn'
  return { stop_reason: reason, stop_sequence: null, ...(words ? { stop_details: words } : {}) }
}

function blocks(answer: Answer): readonly JsonObject[] {
  const { thought, pieces, calls = [] } = answer
  return [
    ...(thought ? [{ type: 'thinking', thinking: thought.text, signature: thought.token }] : []),
    ...(pieces ? [{ type: 'text', text: textOf(answer) }] : []),
    ...calls.map((call, index) => ({ type: 'tool_use', id: idOf(index), ...call })),
  ]
}

function idOf(index: number): string {
  return `toolu_msg${index}`
}

const emptied: JsonObject = { thinking: '', signature: '', text: '', input: {} }

function blockFrames(answer: Answer, block: JsonObject, index: number): readonly string[] {
  const entries = Object.entries(block).map(([name, value]) => [name, emptied[name] ?? value])
  return [
    step('content_block_start', { index, content_block: Object.fromEntries(entries) }),
    ...deltasOf(answer, block).map((delta) => step('content_block_delta', { index, delta })),
    step('content_block_stop', { index }),
  ]
}

function deltasOf({ pieces = [] }: Answer, block: JsonObject): readonly JsonObject[] {
  switch (block['type']) {
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: block['thinking'] },
        { type: 'signature_delta', signature: block['signature'] },
      ]
    case 'text':
      return pieces.map((text) => ({ type: 'text_delta', text }))
    default: {
      const text = JSON.stringify(block['input'])
      const parts = ['', text.slice(0, 7), text.slice(7)]
      return parts.map((part) => ({ type: 'input_json_delta', partial_json: part }))
    }
  }
}

function step(type: string, fields: JsonObject): string {
  return frame({ type, ...fields }, type)
}

/** All results of a turn come first in the next message. */
function readCalls(body: unknown, madeBy = 'this'): readonly AnsweredCall[] {
  const turns = list(dig(body, 'messages'))
  const isCall = (block: unknown) => dig(block, 'type') === 'tool_use'
  const at = turns.findLastIndex((turn) => list(dig(turn, 'content')).some(isCall))
  const calls = list(dig(turns[at], 'content')).filter(isCall)
  const results = list(dig(turns[at + 1], 'content')).slice(0, calls.length)
  requireThat(dig(turns[at], 'role') === 'assistant', 'calls stand in the assistant’s message')
  requireThat(dig(turns[at + 1], 'role') === 'user', 'results stand in the user’s message')
  return calls.map((call, index) => {
    const result = results.find((block) => {
      return dig(block, 'type') === 'tool_result' && dig(block, 'tool_use_id') === dig(call, 'id')
    })
    const isOwn = madeBy === 'others' || dig(call, 'id') === idOf(index)
    requireThat(isOwn, 'the call has its own id again')
    requireThat(result !== undefined, 'every call has a result in the next message, first in it')
    const content = dig(result, 'content')
    return {
      name: String(dig(call, 'name')),
      input: dig(call, 'input') as JsonObject,
      result: typeof content === 'string' ? content : dig(content, 0, 'text'),
    }
  })
}
