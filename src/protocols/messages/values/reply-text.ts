import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'

/** All text in a block of a reply, or in a delta, that the model has generated. */
export function textOfBlock(block: unknown): string {
  if (!isObject(block)) return ''
  switch (block['type']) {
    case 'text_delta':
    case 'text':
      return stringAt(block, 'text') ?? ''
    case 'input_json_delta':
      return stringAt(block, 'partial_json') ?? ''
    case 'thinking_delta':
    case 'thinking':
      return stringAt(block, 'thinking') ?? ''
    case 'tool_use':
    case 'server_tool_use':
      return (stringAt(block, 'name') ?? '') + inputText(block)
    default:
      return ''
  }
}

/** The reasoning part of that text. */
export function reasoningOfBlock(block: unknown): string {
  return isObject(block) ? (stringAt(block, 'thinking') ?? '') : ''
}

function inputText({ input }: JsonObject): string {
  return isObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : ''
}
