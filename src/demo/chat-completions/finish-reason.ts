import type { Answer } from '../answer.ts'

export function finishReasonOf(answer: Answer): string {
  return answer.finish === 'tool-calls' ? 'tool_calls' : answer.finish
}
