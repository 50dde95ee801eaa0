import { parseExact, writeJson } from '../../wire/exact-json.ts'
import { isObject, type JsonObject, stringAt } from '../../wire/json.ts'
import { inputList } from './input-list.ts'

/**
 * JSON: what a later request that refers to this response begins with: all that was said, and what was
 * answered. Items get the ids and the full form under which they can be listed and referred to.
 */
export function storedItemsOf(bodyText: string, responseText: string): string {
  const body = parseExact(bodyText)
  const response = parseExact(responseText)
  if (!isObject(body) || !isObject(response)) return '[]'
  const seed = (stringAt(response, 'id') ?? '').replace(/^resp_/, '')
  const input = inputList(body['input']).map((item, index) => complete(item, `${seed}${index}`))
  return writeJson([...input, ...inputList(response['output'])])
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
