import type { DemoAnswer } from '../answer.ts'

export function finishReasonOf(answer: DemoAnswer): string {
  return answer.finish === 'tool-calls' ? 'tool_calls' : answer.finish
}
