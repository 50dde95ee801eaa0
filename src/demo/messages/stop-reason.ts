import type { Answer } from '../answer.ts'

const stopReasons = { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use' } as const

export function stopReasonOf(answer: Answer): string {
  return stopReasons[answer.finish]
}
