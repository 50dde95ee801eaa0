import { isObject } from '../../wire/json.ts'
import { fieldOf, textOf } from '../json-value.ts'
import type { DemoTurn } from '../question.ts'
import { readCall } from '../read-call.ts'

/** Google's service accepts a list, one object or plain text for contents and parts. */
export function readTurns(systemInstruction: unknown, contents: unknown): readonly DemoTurn[] {
  const system: DemoTurn = {
    role: 'system',
    text: readParts(systemInstruction).map(readPart).join(' '),
  }
  return [
    ...(systemInstruction === undefined ? [] : [system]),
    ...looseList(contents).flatMap(readContentTurns),
  ]
}

function readContentTurns(content: unknown): readonly DemoTurn[] {
  const parts = readParts(content)
  const results = parts.map(responseOf).filter((response) => response !== undefined)
  const others = parts.filter((part) => responseOf(part) === undefined)
  const role = fieldOf(content, 'role') === 'model' ? 'assistant' : 'user'
  return [
    ...(others.length === 0 ? [] : [{ role, text: others.map(readPart).join(' ') } as const]),
    ...results.map((result) => ({ role: 'tool', text: readResult(result) }) as const),
  ]
}

function readParts(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [content] : looseList(fieldOf(content, 'parts'))
}

function readPart(part: unknown): string {
  if (typeof part === 'string') return part
  const text = textOf(fieldOf(part, 'text'))
  if (text !== undefined) return text
  const call = fieldOf(part, 'functionCall', 'function_call')
  return call === undefined ? '[media]' : readCall(call, 'args')
}

function responseOf(part: unknown): unknown {
  return fieldOf(part, 'functionResponse', 'function_response')
}

// Clients wrap plain text as `result` or `output`, because a response must be an object.
function readResult(result: unknown): string {
  const response = fieldOf(result, 'response')
  return textOf(fieldOf(response, 'result', 'output')) ?? JSON.stringify(response ?? {})
}

function looseList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return typeof value === 'string' || isObject(value) ? [value] : []
}
