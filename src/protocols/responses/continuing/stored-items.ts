import { parseExact, writeJson } from '../../../wire/exact-json.ts'
import { findMembers } from '../../../wire/find-members.ts'
import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'

/** JSON: the whole input. Items get the ids and the full form under which they can be listed and referenced. */
export function storedInputOf(bodyText: string, responseId: string): string {
  const body = parseExact(bodyText)
  if (!isObject(body)) return '[]'
  const seed = responseId.replace(/^resp_/, '')
  return writeJson(inputList(body['input']).map((item, index) => complete(item, `${seed}${index}`)))
}

/** JSON: the beginning of a later request that refers to a response: the whole input, then the output. */
export function storedItemsOf(storedInput: string, responseText: string): string {
  const output = findMembers(responseText).get('output')
  const input = storedInput.slice(1, -1)
  // The gateway has written this text itself, so its items can be kept as they are.
  const answered = output ? responseText.slice(output.valueStart + 1, output.valueEnd - 1) : ''
  return `[${input}${input !== '' && answered !== '' ? ',' : ''}${answered}]`
}

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  function_call_output: 'fco_',
  custom_tool_call: 'ctc_',
  custom_tool_call_output: 'ctco_',
}

function complete(item: JsonObject, seed: string): JsonObject {
  const type = stringAt(item, 'type') ?? 'message'
  const id = stringAt(item, 'id') ?? `${prefixes[type] ?? 'item_'}${seed}`
  if (type !== 'message') return { ...item, id }
  return { ...item, id, type, status: item['status'] ?? 'completed', content: partsOf(item) }
}

function partsOf({ role, content }: JsonObject): unknown {
  if (typeof content !== 'string') return content
  return role === 'assistant'
    ? [{ type: 'output_text', text: content, annotations: [] }]
    : [{ type: 'input_text', text: content }]
}

/** The items of an input in any form: a string is a user message. */
export function inputList(input: unknown): JsonObject[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return Array.isArray(input) ? input.filter(isObject) : []
}
