import { type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { responses } from '../../support/protocols/responses.ts'
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
import { readDataUrl } from './read-data-url.ts'
import { requireThat } from './require-that.ts'

const { usage } = responses

export const responsesScript: Script = {
  protocol: 'responses',
  whole: (answer) => JSON.stringify(response(answer)),
  frames: (answer) => {
    const begun = { ...envelope, status: 'in_progress', output: [], usage: null }
    const last = answer.isCutShort ? 'response.incomplete' : 'response.completed'
    const ladder: Step[] = [
      ['response.created', { response: begun }],
      ['response.in_progress', { response: begun }],
      ...items(answer).flatMap((item, index) => steps(answer, item, index)),
      [last, { response: response(answer) }],
    ]
    return ladder.map(([type, fields], index) =>
      frame({ type, sequence_number: index, ...fields }, type),
    )
  },
  faultFrame: frame(
    {
      type: 'error',
      sequence_number: 9,
      error: { type: 'server_error', code: 'server_error', message: faultMessage, param: null },
    },
    'error',
  ),
  readCalls,
  readImages: (body) =>
    list(dig(body, 'input'))
      .flatMap((item) => list(dig(item, 'content')))
      .filter((part) => dig(part, 'type') === 'input_image')
      .map((part): Image => readDataUrl(dig(part, 'image_url'))),
  readSchema: (body) => dig(body, 'text', 'format', 'schema'),
  readTools: (body) => list(dig(body, 'tools')).map((tool) => dig(tool, 'name')),
  readChoice: (body) => {
    const choice = dig(body, 'tool_choice')
    if (list(dig(body, 'tools')).length === 0) return 'never'
    return choiceOf(typeof choice === 'string' ? choice : dig(choice, 'name'))
  },
  readSystem: (body) => {
    const instructions = dig(body, 'instructions')
    if (typeof instructions === 'string') return instructions
    const first = dig(body, 'input', 0)
    const isSystem = /^(system|developer)$/.test(String(dig(first, 'role')))
    requireThat(isSystem, 'instructions, or a first item with their role')
    const content = dig(first, 'content')
    return typeof content === 'string' ? content : dig(content, 0, 'text')
  },
  readLimit: (body) => dig(body, 'max_output_tokens'),
}

type Step = readonly [type: string, fields: JsonObject]

const envelope = {
  id: 'resp_theirs',
  object: 'response',
  created_at: 1,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: 'theirs',
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
}

function response(answer: Answer): JsonObject {
  const whole = { ...envelope, status: 'completed', output: items(answer), usage }
  if (!answer.isCutShort) return whole
  return { ...whole, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
}

function items(answer: Answer): readonly JsonObject[] {
  const { thought, pieces, refusal, calls = [] } = answer
  const summary = thought && [{ type: 'summary_text', text: thought.text }]
  const said = pieces && {
    type: 'output_text',
    text: textOf(answer),
    annotations: [],
    logprobs: [],
  }
  const content = said ?? (refusal && { type: 'refusal', refusal })
  const status = answer.isCutShort ? 'incomplete' : 'completed'
  return [
    ...(thought
      ? [{ id: 'rs_1', type: 'reasoning', summary, encrypted_content: thought.token }]
      : []),
    ...(content
      ? [{ id: 'msg_1', type: 'message', status, role: 'assistant', content: [content] }]
      : []),
    ...calls.map(({ name, input }, index) => ({
      id: `fc_${index}`,
      type: 'function_call',
      status,
      call_id: idOf(index),
      name,
      arguments: JSON.stringify(input),
    })),
  ]
}

function idOf(index: number): string {
  return `call_resp${index}`
}

const emptied: JsonObject = { summary: [], content: [], arguments: '', status: 'in_progress' }

function steps(answer: Answer, item: JsonObject, index: number): readonly Step[] {
  const entries = Object.entries(item).map(([name, value]) => [name, emptied[name] ?? value])
  return [
    ['response.output_item.added', { output_index: index, item: Object.fromEntries(entries) }],
    ...stepsInside(answer, item, { item_id: item['id'], output_index: index }),
    ['response.output_item.done', { output_index: index, item }],
  ]
}

function stepsInside(answer: Answer, item: JsonObject, place: JsonObject): readonly Step[] {
  const { pieces, refusal, thought } = answer
  switch (item['type']) {
    case 'reasoning': {
      const at = { ...place, summary_index: 0 }
      const part = { type: 'summary_text', text: thought?.text }
      return [
        ['response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }],
        ['response.reasoning_summary_text.delta', { ...at, delta: part.text }],
        ['response.reasoning_summary_text.done', { ...at, text: part.text }],
        ['response.reasoning_summary_part.done', { ...at, part }],
      ]
    }
    case 'message': {
      const at = { ...place, content_index: 0 }
      const part = dig(item, 'content', 0) as JsonObject
      const kind = pieces ? 'output_text' : 'refusal'
      const field = pieces ? 'text' : 'refusal'
      return [
        ['response.content_part.added', { ...at, part: { ...part, [field]: '' } }],
        ...(pieces ?? [refusal ?? '']).map(
          (delta): Step => [`response.${kind}.delta`, { ...at, delta, logprobs: [] }],
        ),
        [`response.${kind}.done`, { ...at, [field]: part[field], logprobs: [] }],
        ['response.content_part.done', { ...at, part }],
      ]
    }
    default: {
      const text = String(item['arguments'])
      const type = 'response.function_call_arguments'
      return [
        [`${type}.delta`, { ...place, delta: text.slice(0, 7) }],
        [`${type}.delta`, { ...place, delta: text.slice(7) }],
        [`${type}.done`, { ...place, arguments: text }],
      ]
    }
  }
}

/** Every call has its output, and none has the other kind of id. */
function readCalls(body: unknown, madeBy = 'this'): readonly AnsweredCall[] {
  const input = list(dig(body, 'input'))
  const calls = input.filter((item) => dig(item, 'type') === 'function_call')
  return calls.map((call, index) => {
    const result = input.find((item) => {
      const isOutput = dig(item, 'type') === 'function_call_output'
      return isOutput && dig(item, 'call_id') === dig(call, 'call_id')
    })
    const itemId = dig(call, 'id')
    const isOwn = madeBy === 'others' || dig(call, 'call_id') === idOf(index)
    requireThat(isOwn, 'the call has its own id again')
    const isItemId = typeof itemId === 'string' && itemId.startsWith('fc_')
    requireThat(itemId === undefined || isItemId, 'an item id begins with fc_')
    requireThat(result !== undefined, 'every call has an output')
    requireThat(input.indexOf(result) > input.indexOf(call), 'the output comes after the call')
    const output = dig(result, 'output')
    return {
      name: String(dig(call, 'name')),
      input: parseJson(String(dig(call, 'arguments'))) as JsonObject,
      result: typeof output === 'string' ? output : dig(output, 0, 'text'),
    }
  })
}
