import type { JsonObject } from '../wire/json.ts'

export interface DemoReasoningPart {
  readonly kind: 'reasoning'
  readonly text: string
}

export interface DemoTextPart {
  readonly kind: 'text'
  readonly text: string
}

export interface DemoToolCallPart {
  readonly kind: 'tool-call'
  readonly name: string
  readonly arguments: JsonObject
  readonly argumentsText: string
}

export type AnswerPart = DemoReasoningPart | DemoTextPart | DemoToolCallPart

/** Disjoint counts: `output` excludes reasoning, and each protocol adds reasoning according to its own rules. */
export interface AnswerUsage {
  readonly input: number
  readonly output: number
  readonly reasoning: number
}

export interface DemoAnswer {
  readonly parts: readonly AnswerPart[]
  readonly finish: 'stop' | 'length' | 'tool-calls'
  readonly usage: AnswerUsage
}

export function textOfAnswer(answer: DemoAnswer, kind: 'text' | 'reasoning'): string {
  return answer.parts.map((part) => (part.kind === kind ? part.text : '')).join('')
}

export function toolCallsOfAnswer(answer: DemoAnswer): readonly DemoToolCallPart[] {
  return answer.parts.filter((part) => part.kind === 'tool-call')
}
