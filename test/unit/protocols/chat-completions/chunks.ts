/** Short names for neutral events, and for the pieces of chat chunks that mean them. */

export const start = { type: 'reply-start', id: 'c1', model: 'm1' }
export const partStart = (part: object, answer = 0) => ({ type: 'part-start', answer, part })
export const delta = (text: string, answer = 0) => ({ type: 'part-delta', answer, text })
export const end = (more: object = {}, answer = 0) => ({ type: 'part-end', answer, ...more })
export const ended = (reason: string, raw: string | undefined) => ({
  type: 'reply-end',
  finishes: [{ reason, raw }],
})
export const called = (id: string, name: string, form = 'function') =>
  partStart({ type: 'tool-call', id, name, form })
export const finish = (reason: string, more: object = {}) => ({
  choices: [{ index: 0, delta: {}, finish_reason: reason, ...more }],
})
export const callDelta = (...calls: object[]) => ({ tool_calls: calls })
export const fn = (name: string | undefined, written: unknown) => ({
  function: { name, arguments: written },
})
