import type { JsonObject } from '../../wire/json.ts'
import {
  type AnswerPart,
  badRequest,
  createdSeconds,
  type DemoExchange,
  type DemoProtocol,
  type DemoTurn,
} from './demo-protocol.ts'
import { fieldOf, listAt, positiveIntegerAt, textAt } from './json-value.ts'
import { encodeFault, openaiModels, readFormat, readToolChoice } from './openai.ts'
import { readCall, readContent, readTool, systemTurn } from './read-content.ts'
import { splitTokens } from './tokens.ts'

export const responses: DemoProtocol = {
  models: openaiModels,
  newline: '\n',
  encodeFault,
  encodeReply,

  readQuestion(body) {
    const model = textAt(body, 'model')
    const { input } = body
    if (model === undefined) return badRequest('You must provide a model.', 'model')
    if (typeof input !== 'string' && !Array.isArray(input)) {
      return badRequest('input must be a string or a list.', 'input')
    }
    const format = fieldOf(body['text'], 'format')
    const effort = textAt(body['reasoning'], 'effort')
    const summary = textAt(body['reasoning'], 'summary')
    return {
      model,
      turns: [
        ...systemTurn(textAt(body, 'instructions')),
        ...(typeof input === 'string'
          ? [{ role: 'user' as const, text: input }]
          : input.map(readItem)),
      ],
      tools: listAt(body, 'tools')
        .filter((tool) => fieldOf(tool, 'type') === 'function')
        .flatMap((tool) => readTool(tool, 'parameters')),
      toolChoice: readToolChoice(body['tool_choice']),
      parallelToolCalls: body['parallel_tool_calls'] !== false,
      structure: readFormat(format, format),
      reasoning: effort !== 'none' && (effort ?? summary) !== undefined,
      outputTokensMax: positiveIntegerAt(body, 'max_output_tokens'),
      stream: body['stream'] === true,
    }
  },

  encodeEvents(exchange) {
    const { answer } = exchange
    const envelope = encodeEnvelope(exchange)
    const events: NamedEvent[] = [
      ['created', { response: envelope }],
      ['in_progress', { response: envelope }],
      ...answer.parts.flatMap((part, index) => encodeItemEvents(exchange, part, index)),
      [
        answer.finish === 'length' ? 'incomplete' : 'completed',
        { response: encodeReply(exchange) },
      ],
    ]
    return events.map(([name, fields], sequence) => {
      const type = `response.${name}`
      const data = { type, sequence_number: sequence, ...fields }
      return { event: type, data, isWord: name.endsWith('.delta') }
    })
  },
}

function readItem(item: unknown): DemoTurn {
  const type = textAt(item, 'type') ?? 'message'
  switch (type) {
    case 'message': {
      const role = fieldOf(item, 'role')
      const text = readContent(fieldOf(item, 'content'))
      if (role === 'assistant') return { role, text }
      return { role: role === 'system' || role === 'developer' ? 'system' : 'user', text }
    }
    case 'function_call':
      return { role: 'assistant', text: readCall(item, 'arguments') }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', text: readContent(fieldOf(item, 'output')) }
    case 'reasoning':
      return { role: 'assistant', text: readContent(fieldOf(item, 'summary')) }
    default:
      return { role: 'assistant', text: `[${type}]` }
  }
}

function encodeReply(exchange: DemoExchange): JsonObject {
  const { parts, finish, usage } = exchange.answer
  const isCut = finish === 'length'
  return {
    ...encodeEnvelope(exchange),
    status: isCut ? 'incomplete' : 'completed',
    completed_at: isCut ? null : createdSeconds,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: parts.map((part, index) => encodeItem(exchange, part, index)),
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output + usage.reasoning,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output + usage.reasoning,
    },
  }
}

/** The response before any output: its id and the settings of the request. */
function encodeEnvelope({ body, question, newId }: DemoExchange): JsonObject {
  return {
    id: newId('resp_'),
    object: 'response',
    created_at: createdSeconds,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    metadata: body['metadata'] ?? {},
    model: question.model,
    output: [],
    parallel_tool_calls: question.parallelToolCalls,
    previous_response_id: body['previous_response_id'] ?? null,
    reasoning: {
      effort: fieldOf(body['reasoning'], 'effort') ?? null,
      summary: fieldOf(body['reasoning'], 'summary') ?? null,
    },
    service_tier: 'default',
    store: body['store'] ?? true,
    temperature: body['temperature'] ?? 1,
    text: { format: fieldOf(body['text'], 'format') ?? { type: 'text' } },
    tool_choice: body['tool_choice'] ?? 'auto',
    // A function tool is strict by default, and the echo states the default.
    tools: listAt(body, 'tools').map((tool): unknown =>
      fieldOf(tool, 'type') === 'function'
        ? { strict: true, parameters: null, ...Object(tool) }
        : tool,
    ),
    top_p: body['top_p'] ?? 1,
    truncation: textAt(body, 'truncation') ?? 'disabled',
    usage: null,
  }
}

/** One output item: complete, or empty as in its announcement. */
function encodeItem(
  { body, answer, newId, signature }: DemoExchange,
  part: AnswerPart,
  index: number,
  isEmpty = false,
): JsonObject {
  // Only an item that the output limit cut off is incomplete, and it is always the last item.
  const isCut = answer.finish === 'length' && index === answer.parts.length - 1
  const status = isEmpty ? 'in_progress' : isCut ? 'incomplete' : 'completed'
  switch (part.kind) {
    case 'reasoning': {
      const isEncrypted = listAt(body, 'include').includes('reasoning.encrypted_content')
      return {
        id: newId('rs_', index),
        type: 'reasoning',
        summary: isEmpty ? [] : [summaryPart(part.text)],
        // As in OpenAI's service, the value in the announcement of an item is not the final one.
        encrypted_content: isEncrypted ? signature.slice(0, isEmpty ? 16 : undefined) : undefined,
      }
    }
    case 'text':
      return {
        id: newId('msg_', index),
        type: 'message',
        status,
        role: 'assistant',
        content: isEmpty ? [] : [textPart(part.text)],
      }
    case 'tool-call':
      return {
        id: newId('fc_', index),
        type: 'function_call',
        status,
        call_id: newId('call_', index),
        name: part.name,
        arguments: isEmpty ? '' : part.argumentsText,
      }
  }
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function summaryPart(text: string): JsonObject {
  return { type: 'summary_text', text }
}

type NamedEvent = readonly [type: string, fields: JsonObject]

function encodeItemEvents(exchange: DemoExchange, part: AnswerPart, index: number): NamedEvent[] {
  const item = encodeItem(exchange, part, index)
  const announced = encodeItem(exchange, part, index, true)
  return [
    ['output_item.added', { output_index: index, item: announced }],
    ...encodePartEvents(part, { item_id: item['id'], output_index: index }),
    ['output_item.done', { output_index: index, item }],
  ]
}

function encodePartEvents(part: AnswerPart, item: JsonObject): NamedEvent[] {
  switch (part.kind) {
    case 'reasoning': {
      const place = { ...item, summary_index: 0 }
      return [
        ['reasoning_summary_part.added', { ...place, part: summaryPart('') }],
        ...deltas('reasoning_summary_text', part.text, place),
        ['reasoning_summary_text.done', { ...place, text: part.text }],
        ['reasoning_summary_part.done', { ...place, part: summaryPart(part.text) }],
      ]
    }
    case 'text': {
      const place = { ...item, content_index: 0 }
      return [
        ['content_part.added', { ...place, part: textPart('') }],
        ...deltas('output_text', part.text, place, { logprobs: [] }),
        ['output_text.done', { ...place, text: part.text, logprobs: [] }],
        ['content_part.done', { ...place, part: textPart(part.text) }],
      ]
    }
    case 'tool-call': {
      const { name, argumentsText } = part
      return [
        ...deltas('function_call_arguments', argumentsText, item),
        ['function_call_arguments.done', { ...item, name, arguments: argumentsText }],
      ]
    }
  }
}

function deltas(
  name: string,
  text: string,
  place: JsonObject,
  more: JsonObject = {},
): NamedEvent[] {
  return splitTokens(text).map((delta) => [`${name}.delta`, { ...place, delta, ...more }])
}
