import { isObject, type JsonObject } from '../../wire/json.ts'
import { thinkingText } from './decode-assistant.ts'

const thoughts = ['reasoning_content', 'reasoning']
const texts = ['content', 'refusal', ...thoughts]

/** Everything in a message or a delta that the model has generated. */
export function textOf(message: unknown): string {
  if (!isObject(message)) return ''
  let text = ''
  for (const name of texts) {
    const part = message[name]
    if (typeof part === 'string') text += part
    else if (Array.isArray(part)) text += part.map(partText).join('')
  }
  const calls = message['tool_calls']
  if (Array.isArray(calls)) for (const call of calls) text += callText(call)
  if (isObject(message['function_call'])) text += namedText(message['function_call'])
  return text
}

/** The part of it that is reasoning. */
export function reasoningOf(message: unknown): string {
  if (!isObject(message)) return ''
  let text = ''
  for (const name of thoughts) {
    const part = message[name]
    if (typeof part === 'string') text += part
  }
  const content = message['content']
  if (Array.isArray(content)) {
    for (const part of content) if (isObject(part)) text += thinkingText(part['thinking'])
  }
  return text
}

/** Mistral's content is a list of parts. */
function partText(part: unknown): string {
  if (!isObject(part)) return ''
  return typeof part['text'] === 'string' ? part['text'] : thinkingText(part['thinking'])
}

function callText(call: unknown): string {
  if (!isObject(call)) return ''
  return [call['function'], call['custom']]
    .map((named) => (isObject(named) ? namedText(named) : ''))
    .join('')
}

function namedText(named: JsonObject): string {
  return [named['name'], named['arguments'], named['input']]
    .filter((part) => typeof part === 'string')
    .join('')
}
