import type {
  FunctionTool,
  Part,
  ToolCallPart,
  Turn,
} from '../../../../src/core/neutral/model-request.ts'

export const text = (words: string): Part => ({ type: 'text', text: words })
export const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
export const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
export const system = (...parts: Part[]): Turn => ({ role: 'system', parts })

export function call(id: string, argumentsText = '{}'): ToolCallPart {
  return { type: 'tool-call', id, name: 'f', form: 'function', argumentsText }
}

export function result(callId: string, words = 'ok', isError = false): Part {
  return {
    type: 'tool-result',
    callId,
    name: 'f',
    form: 'function',
    parts: [{ type: 'text', text: words }],
    isError,
  }
}

export const tool: FunctionTool = {
  type: 'function',
  name: 'f',
  description: 'd',
  schema: '{"type":"object"}',
  isStrict: undefined,
}
