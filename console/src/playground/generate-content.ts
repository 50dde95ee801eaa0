import { countsOf } from './chat-completions.ts'
import { asList, asObject, asText, parseText } from './read-json.ts'
import type { ChatTurn, PlaySettings, ReplyDelta, WireRequest } from './turn.ts'

export function generateRequest(settings: PlaySettings, turns: readonly ChatTurn[]): WireRequest {
  const { model, system, maxTokens, temperature, isStream, tools } = settings
  const method = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return {
    path: `/v1beta/models/${encodeURIComponent(model)}:${method}`,
    body: {
      ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
      contents: turns.map(contentOf),
      generationConfig: {
        maxOutputTokens: maxTokens,
        ...(temperature !== undefined && { temperature }),
      },
      ...(tools.length > 0 && {
        tools: [
          {
            functionDeclarations: tools.map(({ parameters, ...tool }) => ({
              ...tool,
              ...(parameters && { parametersJsonSchema: parameters }),
            })),
          },
        ],
      }),
    },
  }
}

function contentOf(turn: ChatTurn): object {
  if (turn.kind === 'result') {
    const { id, name } = turn.call
    const response = { output: turn.text }
    return { role: 'user', parts: [{ functionResponse: { id, name, response } }] }
  }
  if (turn.kind === 'model') {
    const calls = turn.calls.map(({ id, name, argumentText }) => ({
      functionCall: { id, name, args: asObject(parseText(argumentText)) },
    }))
    return { role: 'model', parts: [...(turn.text === '' ? [] : [{ text: turn.text }]), ...calls] }
  }
  const picture = turn.picture
  return {
    role: 'user',
    parts: [
      ...(picture ? [{ inlineData: { mimeType: picture.mediaType, data: picture.data } }] : []),
      { text: turn.text },
    ],
  }
}

/** Chunks of a stream have the shape of a complete response. A function call is never split. */
export function readGenerate(value: unknown, callsSoFar: number): ReplyDelta[] {
  const body = asObject(value)
  const content = asObject(asObject(asList(body['candidates'])[0])['content'])
  const parts: ReplyDelta[] = []
  let calls = callsSoFar
  for (const each of asList(content['parts'])) {
    const part = asObject(each)
    const text = asText(part['text'])
    if (part['functionCall']) {
      const call = asObject(part['functionCall'])
      const name = asText(call['name']) ?? ''
      const id = asText(call['id']) ?? `call_${calls}`
      const more = JSON.stringify(call['args'] ?? {})
      parts.push({ call: { index: calls, id, name, more, isWhole: true } })
      calls += 1
    } else if (text !== undefined) {
      parts.push(part['thought'] === true ? { reasoning: text } : { text })
    }
  }
  if (body['error']) {
    parts.push({ problem: asText(asObject(body['error'])['message']) ?? 'error' })
  }
  const usage = asObject(body['usageMetadata'])
  const thoughts = usage['thoughtsTokenCount']
  const output = usage['candidatesTokenCount']
  const whole =
    typeof output === 'number' && typeof thoughts === 'number' ? output + thoughts : output
  parts.push({ usage: countsOf(usage['promptTokenCount'], whole) })
  return parts
}
