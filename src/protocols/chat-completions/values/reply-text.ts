import { isObject, type JsonObject } from '../../../wire/json.ts'
import type { ReplyTraits } from '../../reply-traits.ts'
import { thinkingText } from '../decode-request/decode-assistant.ts'

/** All text in a message or a delta that the model has generated. */
export function textOfMessage(message: unknown, traits: ReplyTraits): string {
  if (!isObject(message)) return ''
  let text = partsText(message['content']) + partsText(message['refusal'])
  text += partsText(reasoningIn(message, traits))
  const calls = message['tool_calls']
  if (Array.isArray(calls)) for (const call of calls) text += callText(call)
  if (isObject(message['function_call'])) text += namedText(message['function_call'])
  return text
}

/** The reasoning part of that text. */
export function reasoningOfMessage(message: unknown, traits: ReplyTraits): string {
  if (!isObject(message)) return ''
  const thought = reasoningIn(message, traits)
  let text = typeof thought === 'string' ? thought : ''
  const content = message['content']
  if (Array.isArray(content)) {
    for (const part of content) if (isObject(part)) text += thinkingText(part['thinking'])
  }
  return text
}

/** The reasoning in a message or a delta. A server that writes the same reasoning twice counts once. */
export function reasoningIn(
  message: JsonObject,
  { reasoningField: thoughtField }: ReplyTraits,
): unknown {
  if (thoughtField !== undefined) return message[thoughtField]
  const thought = message['reasoning_content'] ?? ''
  return thought === '' ? message['reasoning'] : thought
}

function partsText(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.map(partText).join('') : ''
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
