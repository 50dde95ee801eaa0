import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { dig, digList, digText } from '../dig.ts'

/**
 * The client's work between two requests: it adds the unchanged reply to its history, and adds a result for each call,
 * or another question if there was no call.
 */
type GoOn = (body: JsonObject, reply: unknown) => JsonObject

export const clientHistories: Readonly<Record<ProtocolName, GoOn>> = {
  'chat-completions': (body, reply) => {
    const message = dig(reply, 'choices', 0, 'message')
    const results = digList(message, 'tool_calls').map((call) => ({
      role: 'tool',
      tool_call_id: digText(call, 'id'),
      content: 'done',
    }))
    const next = results.length > 0 ? results : [{ role: 'user', content: 'Go on' }]
    return { ...body, messages: [...digList(body, 'messages'), message, ...next] }
  },
  responses: (body, reply) => {
    const output = digList(reply, 'output')
    const results = output
      .filter((item) => digText(item, 'call_id') !== '')
      .map((item) => ({
        type: `${digText(item, 'type')}_output`,
        call_id: digText(item, 'call_id'),
        output: 'done',
      }))
    const next = results.length > 0 ? results : [{ role: 'user', content: 'Go on' }]
    const input = dig(body, 'input')
    const before = Array.isArray(input) ? input : [{ role: 'user', content: input }]
    return { ...body, input: [...before, ...output, ...next] }
  },
  messages: (body, reply) => {
    const content = digList(reply, 'content')
    const results = content
      .filter((block) => digText(block, 'type') === 'tool_use')
      .map((block) => ({
        type: 'tool_result',
        tool_use_id: digText(block, 'id'),
        content: 'done',
      }))
    const next = results.length > 0 ? results : [{ type: 'text', text: 'Go on' }]
    return {
      ...body,
      messages: [
        ...digList(body, 'messages'),
        { role: 'assistant', content },
        { role: 'user', content: next },
      ],
    }
  },
  'generate-content': (body, reply) => {
    const parts = digList(reply, 'candidates', 0, 'content', 'parts')
    const results = parts.flatMap((part) => {
      const call = dig(part, 'functionCall')
      if (call === undefined) return []
      const id = dig(call, 'id')
      const own = id === undefined ? {} : { id }
      return [{ functionResponse: { ...own, name: digText(call, 'name'), response: { a: 1 } } }]
    })
    return {
      ...body,
      contents: [
        ...digList(body, 'contents'),
        { role: 'model', parts },
        { role: 'user', parts: results.length > 0 ? results : [{ text: 'Go on' }] },
      ],
    }
  },
}
