import { countsOf } from './chat-completions.ts'
import { asList, asNumber, asObject, asText } from './read-json.ts'
import type { ChatTurn, PlaySettings, ReplyDelta, WireRequest } from './turn.ts'

export function responsesRequest(settings: PlaySettings, turns: readonly ChatTurn[]): WireRequest {
  const { model, system, maxTokens, temperature, isStream, tools } = settings
  return {
    path: '/v1/responses',
    body: {
      model,
      ...(system !== '' && { instructions: system }),
      input: turns.flatMap(itemsOf),
      max_output_tokens: maxTokens,
      store: false,
      ...(temperature !== undefined && { temperature }),
      ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', ...tool })) }),
      ...(isStream && { stream: true }),
    },
  }
}

function itemsOf(turn: ChatTurn): object[] {
  if (turn.kind === 'result') {
    return [{ type: 'function_call_output', call_id: turn.call.id, output: turn.text }]
  }
  if (turn.kind === 'model') {
    const calls = turn.calls.map(({ id, name, argumentText }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: argumentText,
    }))
    const texts = turn.text === '' ? [] : [{ role: 'assistant', content: turn.text }]
    return [...texts, ...calls]
  }
  if (!turn.picture) return [{ role: 'user', content: turn.text }]
  const url = `data:${turn.picture.mediaType};base64,${turn.picture.data}`
  return [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: turn.text },
        { type: 'input_image', image_url: url, detail: 'auto' },
      ],
    },
  ]
}

export function readResponses(value: unknown): ReplyDelta[] {
  const event = asObject(value)
  const type = asText(event['type'])
  const index = asNumber(event['output_index']) ?? 0
  const delta = asText(event['delta']) ?? ''
  switch (type) {
    case undefined:
      return wholeParts(event)
    case 'response.output_text.delta':
      return [{ text: delta }]
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return [{ reasoning: delta }]
    case 'response.output_item.added': {
      const item = asObject(event['item'])
      return item['type'] === 'function_call' ? [callPart(item, index, true)] : []
    }
    case 'response.function_call_arguments.delta':
      return [{ call: { index, more: delta } }]
    case 'response.output_item.done': {
      const item = asObject(event['item'])
      return item['type'] === 'function_call' ? [callPart(item, index, true)] : []
    }
    case 'response.completed':
    case 'response.incomplete': {
      const usage = asObject(asObject(event['response'])['usage'])
      return [{ usage: countsOf(usage['input_tokens'], usage['output_tokens']) }]
    }
    case 'response.failed':
    case 'error': {
      const error = asObject(asObject(event['response'])['error'] ?? event['error'] ?? event)
      return [{ problem: asText(error['message']) ?? 'error' }]
    }
    default:
      return []
  }
}

function wholeParts(body: Readonly<Record<string, unknown>>): ReplyDelta[] {
  const usage = asObject(body['usage'])
  const parts = asList(body['output']).flatMap((each, index): ReplyDelta[] => {
    const item = asObject(each)
    if (item['type'] === 'function_call') return [callPart(item, index, true)]
    if (item['type'] === 'reasoning') {
      return asList(item['summary']).map((part) => ({
        reasoning: asText(asObject(part)['text']) ?? '',
      }))
    }
    return asList(item['content']).map((part) => ({ text: asText(asObject(part)['text']) ?? '' }))
  })
  return [...parts, { usage: countsOf(usage['input_tokens'], usage['output_tokens']) }]
}

function callPart(
  item: Readonly<Record<string, unknown>>,
  index: number,
  isWhole: boolean,
): ReplyDelta {
  return {
    call: {
      index,
      id: asText(item['call_id']) ?? '',
      name: asText(item['name']) ?? '',
      more: asText(item['arguments']) ?? '',
      isWhole,
    },
  }
}
