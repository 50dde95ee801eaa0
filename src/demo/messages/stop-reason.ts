import type { DemoAnswer } from '../answer.ts'

const stopReasons = { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use' } as const

export function stopReasonOf(answer: DemoAnswer): string {
  return stopReasons[answer.finish]
}
