import { isObject, type JsonObject } from '../wire/json.ts'

export interface DemoTurn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
}

export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
}

export interface DemoToolChoice {
  readonly mode: 'auto' | 'none' | 'required'
  /** Only these may be called; absent means any of the offered tools. */
  readonly names?: readonly string[]
}

export type Structure =
  | { readonly kind: 'text' }
  | { readonly kind: 'json-object' }
  | { readonly kind: 'json-schema'; readonly schema: JsonObject }

/** The parts of a request that the demo model understands, independent of the protocol. */
export interface Question {
  readonly model: string
  readonly turns: readonly DemoTurn[]
  readonly tools: readonly OfferedTool[]
  readonly toolChoice: DemoToolChoice
  readonly parallelToolCalls: boolean
  readonly structure: Structure
  readonly reasoning: boolean
  readonly outputTokensMax: number | undefined
  readonly stream: boolean
}

export interface DemoRefusal {
  readonly refusal: string
  readonly param: string
}

export function isRefusal(reading: Question | DemoRefusal): reading is DemoRefusal {
  return 'refusal' in reading
}

export function schemaStructure(schema: unknown): Structure {
  return isObject(schema) ? { kind: 'json-schema', schema } : { kind: 'json-object' }
}
