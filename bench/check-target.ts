import { benchHeaders, completionsPath, requestBody, type StreamShape } from './bench-request.ts'
import type { Target } from './target.ts'

const answerLimitMs = 10_000
const shape: StreamShape = { eventCount: 20, intervalMs: 1 }

// A wrong answer is cheap to produce, so nothing is measured before a whole and a streamed answer have arrived
// complete.
export async function checkTarget(target: Target): Promise<void> {
  try {
    await checkBothAnswers(target)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${target.name} cannot be measured: ${reason}`, { cause })
  }
}

async function checkBothAnswers(target: Target): Promise<void> {
  const completion = await ask(target, requestBody())
  if (!completion.includes('"completion_tokens":128')) {
    throw new Error(`the completion did not arrive: ${completion}`)
  }
  const stream = await ask(target, requestBody(shape))
  const events = stream.split('\n').filter((line) => line.includes('"content":')).length
  if (events !== shape.eventCount || !stream.endsWith('data: [DONE]\n\n')) {
    throw new Error(`${events} of ${shape.eventCount} events arrived: ${stream}`)
  }
}

async function ask(target: Target, body: string): Promise<string> {
  const response = await fetch(target.url + completionsPath, {
    method: 'POST',
    headers: benchHeaders,
    body,
    signal: AbortSignal.timeout(answerLimitMs),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`it answered ${response.status}: ${text}`)
  return text
}
