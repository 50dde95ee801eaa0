import type { JsonObject } from '../../wire/json.ts'
import {
  type AnswerPart,
  badRequest,
  createdSeconds,
  type DemoAnswer,
  type DemoProtocol,
  type DemoToolCall,
  type DemoTurn,
} from './demo-protocol.ts'
import { fieldOf, listAt, positiveIntegerAt, textAt } from './json-value.ts'
import { encodeFault, openaiModels, readFormat, readToolChoice } from './openai.ts'
import { readCall, readContent, readTool } from './read-content.ts'
import { splitTokens } from './tokens.ts'

export const chatCompletions: DemoProtocol = {
  models: openaiModels,
  newline: '\n',
  encodeFault,

  readQuestion(body) {
    const model = textAt(body, 'model')
    const messages = listAt(body, 'messages')
    const format = body['response_format']
    if (model === undefined) return badRequest('You must provide a model.', 'model')
    if (messages.length === 0) return badRequest('messages must be a list.', 'messages')
    if ((positiveIntegerAt(body, 'n') ?? 1) > 1) {
      return badRequest('The demo model gives one answer at a time.', 'n')
    }
    return {
      model,
      turns: messages.map(readTurn),
      tools: listAt(body, 'tools').flatMap((tool) =>
        readTool(fieldOf(tool, 'function'), 'parameters'),
      ),
      toolChoice: readToolChoice(body['tool_choice']),
      parallelToolCalls: body['parallel_tool_calls'] !== false,
      structure: readFormat(format, fieldOf(format, 'json_schema')),
      reasoning: (textAt(body, 'reasoning_effort') ?? 'none') !== 'none',
      outputTokensMax:
        positiveIntegerAt(body, 'max_completion_tokens') ?? positiveIntegerAt(body, 'max_tokens'),
      stream: body['stream'] === true,
    }
  },

  encodeReply({ question, answer, newId }) {
    const calls = answer.parts.filter(isCall).map(({ name, argumentsText }, index) => ({
      id: newId('call_', index),
      type: 'function',
      function: { name, arguments: argumentsText },
    }))
    const message = {
      role: 'assistant',
      content: calls.length > 0 ? null : textOfAnswer(answer, 'text'),
      refusal: null,
      annotations: [],
      reasoning_content: textOfAnswer(answer, 'reasoning') || undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    }
    return {
      id: newId('chatcmpl-'),
      object: 'chat.completion',
      created: createdSeconds,
      model: question.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(answer) }],
      usage: encodeUsage(answer),
      service_tier: 'default',
      system_fingerprint: 'fp_demo',
    }
  },

  *encodeEvents({ body, question, answer, newId }) {
    const includesUsage = fieldOf(body['stream_options'], 'include_usage') === true
    const envelope = {
      id: newId('chatcmpl-'),
      object: 'chat.completion.chunk',
      created: createdSeconds,
      model: question.model,
      service_tier: 'default',
      system_fingerprint: 'fp_demo',
    }
    const chunk = (delta: JsonObject, finishReason: string | null = null): JsonObject => ({
      ...envelope,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      usage: includesUsage ? null : undefined,
    })
    const content = answer.parts.some(isCall) ? null : ''
    yield { data: chunk({ role: 'assistant', content, refusal: null }) }
    for (const part of answer.parts.filter((each) => !isCall(each))) {
      const name = part.kind === 'reasoning' ? 'reasoning_content' : 'content'
      for (const word of splitTokens(part.text))
        yield { data: chunk({ [name]: word }), isWord: true }
    }
    for (const [index, call] of answer.parts.filter(isCall).entries()) {
      const start = { name: call.name, arguments: '' }
      const header = { index, id: newId('call_', index), type: 'function', function: start }
      yield { data: chunk({ tool_calls: [header] }) }
      for (const fragment of splitTokens(call.argumentsText)) {
        const delta = { tool_calls: [{ index, function: { arguments: fragment } }] }
        yield { data: chunk(delta), isWord: true }
      }
    }
    yield { data: chunk({}, finishReasonOf(answer)) }
    if (includesUsage) yield { data: { ...envelope, choices: [], usage: encodeUsage(answer) } }
    yield { data: '[DONE]' }
  },
}

const roles: ReadonlyMap<unknown, DemoTurn['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
])

function readTurn(message: unknown): DemoTurn {
  const role = roles.get(fieldOf(message, 'role')) ?? 'user'
  const content = readContent(fieldOf(message, 'content'))
  if (role !== 'assistant') return { role, text: content }
  const calls = listAt(message, 'tool_calls').map((call) =>
    readCall(fieldOf(call, 'function'), 'arguments'),
  )
  return { role, text: `${content} ${calls.join(' ')}`.trim() }
}

function isCall(part: AnswerPart): part is DemoToolCall {
  return part.kind === 'tool-call'
}

function textOfAnswer({ parts }: DemoAnswer, kind: 'text' | 'reasoning'): string {
  return parts.map((part) => (part.kind === kind ? part.text : '')).join('')
}

function finishReasonOf({ finish }: DemoAnswer): string {
  return finish === 'tool-calls' ? 'tool_calls' : finish
}

function encodeUsage({ usage: { input, output, reasoning } }: DemoAnswer): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output + reasoning,
    total_tokens: input + output + reasoning,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  }
}
