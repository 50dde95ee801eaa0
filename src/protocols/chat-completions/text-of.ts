import { isObject, type JsonObject } from '../../wire/json.ts'

/** Everything in a message or a delta that the model has generated. */
export function textOf(message: unknown): string {
  if (!isObject(message)) return ''
  let text = ''
  for (const name of ['content', 'refusal', 'reasoning_content', 'reasoning']) {
    const part = message[name]
    if (typeof part === 'string') text += part
  }
  const calls = message['tool_calls']
  if (Array.isArray(calls)) for (const call of calls) text += callText(call)
  return text
}

function callText(call: unknown): string {
  const named: JsonObject = isObject(call) && isObject(call['function']) ? call['function'] : {}
  return [named['name'], named['arguments']].filter((part) => typeof part === 'string').join('')
}
