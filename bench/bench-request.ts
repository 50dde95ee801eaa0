export const benchModel = 'bench-model'
export const benchKey = 'sk-bench-0123456789-0123456789-0123456789'
/** With all limits and budgets. As long as the names without: longer names would count as a cost of limits. */
export const limitedModel = 'limit-model'
export const limitedKey = 'sk-limit-0123456789-0123456789-0123456789'
/** With the limits that a key usually has: its own rates and budgets, and none of its account, group or model. */
export const usualKey = 'sk-usual-0123456789-0123456789-0123456789'

// The headers of a typical SDK: their number is part of a proxy's work.
export const benchHeaders: Readonly<Record<string, string>> = {
  accept: 'application/json',
  authorization: `Bearer ${benchKey}`,
  'content-type': 'application/json',
  'user-agent': 'bench/1.0',
  'x-stainless-lang': 'js',
  'x-stainless-retry-count': '0',
  'x-stainless-runtime': 'node',
}

export const completionsPath = '/v1/chat/completions'

export interface StreamShape {
  readonly eventCount: number
  readonly intervalMs: number
}

export function requestBody(stream?: StreamShape): string {
  return JSON.stringify({
    model: benchModel,
    messages: [
      { role: 'system', content: 'You are a helpful assistant who answers in few words.' },
      { role: 'user', content: question(stream) },
    ],
    ...(stream === undefined
      ? { max_completion_tokens: 128 }
      : { max_completion_tokens: stream.eventCount, stream: true }),
  })
}

/** The same question in every protocol; it contains the requested pace of a stream. */
export function question(stream?: StreamShape): string {
  const pace = stream === undefined ? '' : ` interval-${stream.intervalMs}`
  return `What is a toll gate, and why would anyone pay at one?${pace}`
}
