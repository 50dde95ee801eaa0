import { countsOf } from './chat-completions.ts'
import { asList, asNumber, asObject, asText, parseText } from './read-json.ts'
import type { ChatTurn, PlaySettings, ReplyDelta, WireRequest } from './turn.ts'

export function messagesRequest(settings: PlaySettings, turns: readonly ChatTurn[]): WireRequest {
  const { model, system, maxTokens, temperature, isStream, tools } = settings
  return {
    path: '/v1/messages',
    body: {
      model,
      max_tokens: maxTokens,
      ...(system !== '' && { system }),
      messages: turns.map(messageOf),
      ...(temperature !== undefined && { temperature }),
      ...(tools.length > 0 && {
        tools: tools.map(({ name, description, parameters }) => ({
          name,
          ...(description !== undefined && { description }),
          input_schema: parameters ?? { type: 'object' },
        })),
      }),
      ...(isStream && { stream: true }),
    },
  }
}

function messageOf(turn: ChatTurn): object {
  if (turn.kind === 'result') {
    return {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: turn.call.id, content: turn.text }],
    }
  }
  if (turn.kind === 'model') {
    const calls = turn.calls.map(({ id, name, argumentText }) => ({
      type: 'tool_use',
      id,
      name,
      input: asObject(parseText(argumentText)),
    }))
    const texts = turn.text === '' ? [] : [{ type: 'text', text: turn.text }]
    return { role: 'assistant', content: [...texts, ...calls] }
  }
  if (!turn.picture) return { role: 'user', content: turn.text }
  const { mediaType, data } = turn.picture
  return {
    role: 'user',
    content: [
      { type: 'image', source: { type: 'base64', media_type: mediaType, data } },
      { type: 'text', text: turn.text },
    ],
  }
}

export function readMessages(value: unknown): ReplyDelta[] {
  const event = asObject(value)
  const index = asNumber(event['index']) ?? 0
  switch (event['type']) {
    case 'message':
      return [
        ...asList(event['content']).flatMap((block, place) => blockParts(block, place, true)),
        ...usageParts(event['usage']),
      ]
    case 'message_start':
      return usageParts(asObject(event['message'])['usage'])
    case 'content_block_start':
      return blockParts(event['content_block'], index, false)
    case 'content_block_delta': {
      const delta = asObject(event['delta'])
      const text = asText(delta['text'])
      const reasoning = asText(delta['thinking'])
      const more = asText(delta['partial_json'])
      if (text !== undefined) return [{ text }]
      if (reasoning !== undefined) return [{ reasoning }]
      return more === undefined ? [] : [{ call: { index, more } }]
    }
    case 'message_delta':
      return usageParts(event['usage'])
    case 'error':
      return [{ problem: asText(asObject(event['error'])['message']) ?? 'error' }]
    default:
      return []
  }
}

function blockParts(value: unknown, index: number, isWhole: boolean): ReplyDelta[] {
  const block = asObject(value)
  if (block['type'] === 'tool_use') {
    const id = asText(block['id']) ?? ''
    const name = asText(block['name']) ?? ''
    const more = isWhole ? JSON.stringify(block['input'] ?? {}) : ''
    return [{ call: { index, id, name, more, isWhole } }]
  }
  const text = asText(block['text'])
  const reasoning = asText(block['thinking'])
  if (text !== undefined && text !== '') return [{ text }]
  return reasoning !== undefined && reasoning !== '' ? [{ reasoning }] : []
}

/** This protocol counts cached input separately. The sum is the input. */
function usageParts(value: unknown): ReplyDelta[] {
  const usage = asObject(value)
  const inputs = [
    usage['input_tokens'],
    usage['cache_read_input_tokens'],
    usage['cache_creation_input_tokens'],
  ].map(asNumber)
  const input = inputs.some((count) => count !== undefined)
    ? inputs.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    : undefined
  return [{ usage: countsOf(input === 0 ? undefined : input, usage['output_tokens']) }]
}
