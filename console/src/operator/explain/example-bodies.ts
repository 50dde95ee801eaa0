import type { ProtocolName } from '../../../../src/console-api/contract.ts'

/** Whether a request names its model, and whether it is streamed, in its path. */
export const isModelInPath: Readonly<Record<ProtocolName, boolean>> = {
  'chat-completions': false,
  responses: false,
  messages: false,
  'generate-content': true,
}

/** Minimal example request of each protocol. */
export function exampleBody(protocol: ProtocolName, model: string): string {
  const body = {
    'chat-completions': { model, messages: [{ role: 'user', content: 'Hello' }] },
    responses: { model, input: 'Hello' },
    messages: { model, max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] },
    'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  }[protocol]
  return JSON.stringify(body, null, 2)
}
