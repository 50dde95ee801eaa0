import type { JsonObject } from '../../wire/json.ts'
import {
  type AnswerPart,
  type AnswerUsage,
  badRequest,
  createdSeconds,
  type DemoExchange,
  type DemoFault,
  type DemoProtocol,
  type DemoToolChoice,
  type DemoTurn,
  listedModel,
  type StreamStep,
} from './demo-protocol.ts'
import { fieldOf, listAt, listOf, positiveIntegerAt, textAt } from './json-value.ts'
import { readCall, readContent, readSchema, readTool, systemTurn } from './read-content.ts'
import { splitTokens } from './tokens.ts'

const { id, displayName, inputTokensMax, outputTokensMax } = listedModel

export const messages: DemoProtocol = {
  models: {
    data: [
      {
        type: 'model',
        id,
        display_name: displayName,
        created_at: new Date(createdSeconds * 1000).toISOString(),
        max_input_tokens: inputTokensMax,
        max_tokens: outputTokensMax,
        capabilities: null,
      },
    ],
    has_more: false,
    first_id: id,
    last_id: id,
  },
  newline: '\n',
  countField: 'input_tokens',
  encodeReply,

  encodeFault({ status, message }) {
    const type = status === 404 ? 'not_found_error' : 'invalid_request_error'
    return { type: 'error', error: { type, message }, request_id: 'req_demo' }
  },

  readQuestion(body, { action }) {
    const model = textAt(body, 'model')
    const messages = listAt(body, 'messages')
    const { system } = body
    const tokensMax = positiveIntegerAt(body, 'max_tokens')
    const format = fieldOf(body['output_config'], 'format') ?? body['output_format']
    const thinking = fieldOf(body['thinking'], 'type')
    // Counting tokens needs no output limit; answering does.
    if (tokensMax === undefined && action === 'answer') return required('max_tokens')
    if (model === undefined) return required('model')
    if (messages.length === 0) return required('messages')
    return {
      model,
      turns: [
        ...systemTurn(system === undefined ? undefined : readContent(system)),
        ...messages.flatMap(readTurns),
      ],
      tools: listAt(body, 'tools').flatMap((tool) => readTool(tool, 'input_schema')),
      toolChoice: readToolChoice(body['tool_choice']),
      parallelToolCalls: fieldOf(body['tool_choice'], 'disable_parallel_tool_use') !== true,
      structure:
        fieldOf(format, 'type') === 'json_schema' ? readSchema(fieldOf(format, 'schema')) : 'text',
      reasoning: thinking === 'enabled' || thinking === 'adaptive',
      outputTokensMax: tokensMax,
      stream: body['stream'] === true,
    }
  },

  *encodeEvents(exchange) {
    const { answer } = exchange
    const usageAtStart = encodeUsage({ ...answer.usage, output: 0, reasoning: 0 })
    const message = {
      ...encodeReply(exchange),
      content: [],
      stop_reason: null,
      usage: { ...usageAtStart, service_tier: 'standard' },
    }
    yield step('message_start', { message })
    for (const [index, part] of answer.parts.entries()) {
      const block = encodeBlock(exchange, part, index, true)
      yield step('content_block_start', { index, content_block: block })
      if (index === 0) yield step('ping', {})
      for (const delta of encodeDeltas(exchange, part)) {
        const isWord = delta['type'] !== 'signature_delta'
        yield { ...step('content_block_delta', { index, delta }), isWord }
      }
      yield step('content_block_stop', { index })
    }
    const delta = { stop_reason: stopReasons[answer.finish], stop_sequence: null }
    yield step('message_delta', { delta, usage: encodeUsage(answer.usage) })
    yield step('message_stop', {})
  },
}

function required(name: string): DemoFault {
  return badRequest(`${name}: Field required`, name)
}

function readTurns(message: unknown): readonly DemoTurn[] {
  const content = fieldOf(message, 'content')
  const blocks = listOf(content)
  const results = blocks.filter((block) => fieldOf(block, 'type') === 'tool_result')
  const others = blocks.filter((block) => fieldOf(block, 'type') !== 'tool_result')
  const text = typeof content === 'string' ? content : others.map(readBlock).join(' ')
  const role = fieldOf(message, 'role')
  const textTurn: DemoTurn = {
    role: role === 'assistant' || role === 'system' ? role : 'user',
    text,
  }
  // Coding agents add remarks to a message with tool results. The results come last, because they are what the model
  // answers.
  return [
    ...(text === '' ? [] : [textTurn]),
    ...results.map(
      (result): DemoTurn => ({ role: 'tool', text: readContent(fieldOf(result, 'content')) }),
    ),
  ]
}

function readBlock(block: unknown): string {
  return fieldOf(block, 'type') === 'tool_use' ? readCall(block, 'input') : readContent([block])
}

function readToolChoice(choice: unknown): DemoToolChoice {
  switch (fieldOf(choice, 'type')) {
    case 'none':
      return { mode: 'none' }
    case 'any':
      return { mode: 'required' }
    case 'tool':
      return { mode: 'required', names: [textAt(choice, 'name') ?? ''] }
    default:
      return { mode: 'auto' }
  }
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use' } as const

function encodeReply(exchange: DemoExchange): JsonObject {
  const { question, answer, newId } = exchange
  return {
    id: newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: question.model,
    content: answer.parts.map((part, index) => encodeBlock(exchange, part, index)),
    stop_reason: stopReasons[answer.finish],
    stop_sequence: null,
    usage: { ...encodeUsage(answer.usage), service_tier: 'standard' },
  }
}

function step(type: string, fields: JsonObject): StreamStep {
  return { event: type, data: { type, ...fields } }
}

/** One block: complete, or empty as at its start in a stream. */
function encodeBlock(
  { newId, signature }: DemoExchange,
  part: AnswerPart,
  index: number,
  isEmpty = false,
): JsonObject {
  if (part.kind === 'tool-call') {
    const input = isEmpty ? {} : part.arguments
    return { type: 'tool_use', id: newId('toolu_', index), name: part.name, input }
  }
  const text = isEmpty ? '' : part.text
  if (part.kind === 'text') return { type: 'text', text }
  return { type: 'thinking', thinking: text, signature: isEmpty ? '' : signature }
}

function encodeDeltas({ signature }: DemoExchange, part: AnswerPart): readonly JsonObject[] {
  if (part.kind === 'tool-call') {
    const fragments = ['', ...splitTokens(part.argumentsText)]
    return fragments.map((fragment) => ({ type: 'input_json_delta', partial_json: fragment }))
  }
  const tokens = splitTokens(part.text)
  if (part.kind === 'text') return tokens.map((text) => ({ type: 'text_delta', text }))
  const thoughts = tokens.map((thinking) => ({ type: 'thinking_delta', thinking }))
  return [...thoughts, { type: 'signature_delta', signature }]
}

function encodeUsage({ input, output, reasoning }: AnswerUsage): JsonObject {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output + reasoning,
    output_tokens_details: { thinking_tokens: reasoning },
  }
}
