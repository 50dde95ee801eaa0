import { asList, asNumber, asObject, asText } from './read-json.ts'
import type { ChatTurn, PlaySettings, ReplyDelta, WireRequest } from './turn.ts'

export function chatRequest(settings: PlaySettings, turns: readonly ChatTurn[]): WireRequest {
  const { model, system, maxTokens, temperature, isStream, tools } = settings
  return {
    path: '/v1/chat/completions',
    body: {
      model,
      messages: [
        ...(system === '' ? [] : [{ role: 'system', content: system }]),
        ...turns.map(messageOf),
      ],
      max_completion_tokens: maxTokens,
      ...(temperature !== undefined && { temperature }),
      ...(tools.length > 0 && {
        tools: tools.map((tool) => ({ type: 'function', function: tool })),
      }),
      ...(isStream && { stream: true, stream_options: { include_usage: true } }),
    },
  }
}

function messageOf(turn: ChatTurn): object {
  if (turn.kind === 'result') {
    return { role: 'tool', tool_call_id: turn.call.id, content: turn.text }
  }
  if (turn.kind === 'model') {
    const calls = turn.calls.map(({ id, name, argumentText }) => ({
      id,
      type: 'function',
      function: { name, arguments: argumentText },
    }))
    return {
      role: 'assistant',
      content: turn.text === '' && calls.length > 0 ? null : turn.text,
      ...(calls.length > 0 && { tool_calls: calls }),
    }
  }
  if (!turn.picture) return { role: 'user', content: turn.text }
  const url = `data:${turn.picture.mediaType};base64,${turn.picture.data}`
  return {
    role: 'user',
    content: [
      { type: 'text', text: turn.text },
      { type: 'image_url', image_url: { url } },
    ],
  }
}

export function readChat(value: unknown): ReplyDelta[] {
  const body = asObject(value)
  const choice = asObject(asList(body['choices'])[0])
  const isWhole = choice['message'] !== undefined
  const message = asObject(choice['delta'] ?? choice['message'])
  const parts: ReplyDelta[] = []
  const text = asText(message['content'])
  const reasoning = asText(message['reasoning_content'] ?? message['reasoning'])
  if (reasoning !== undefined) parts.push({ reasoning })
  if (text !== undefined) parts.push({ text })
  for (const [place, each] of asList(message['tool_calls']).entries()) {
    const call = asObject(each)
    const named = asObject(call['function'])
    const id = asText(call['id'])
    const name = asText(named['name'])
    parts.push({
      call: {
        index: asNumber(call['index']) ?? place,
        ...(id !== undefined && { id }),
        ...(name !== undefined && { name }),
        more: asText(named['arguments']) ?? '',
        isWhole,
      },
    })
  }
  if (body['usage']) {
    const usage = asObject(body['usage'])
    parts.push({ usage: countsOf(usage['prompt_tokens'], usage['completion_tokens']) })
  }
  return parts
}

/** Token counts, if reported. */
export function countsOf(input: unknown, output: unknown): { input?: number; output?: number } {
  const counted = { input: asNumber(input), output: asNumber(output) }
  return {
    ...(counted.input !== undefined && { input: counted.input }),
    ...(counted.output !== undefined && { output: counted.output }),
  }
}
