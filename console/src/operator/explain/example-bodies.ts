import type { Protocol } from '../../../../src/console-api/contract.ts'

export const protocols: readonly Protocol[] = [
  'chat-completions',
  'responses',
  'messages',
  'generate-content',
]

/** The smallest request of each protocol, to begin with. */
export function exampleBody(protocol: Protocol, model: string): string {
  const body = {
    'chat-completions': { model, messages: [{ role: 'user', content: 'Hello' }] },
    responses: { model, input: 'Hello' },
    messages: { model, max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] },
    'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  }[protocol]
  return JSON.stringify(body, null, 2)
}
