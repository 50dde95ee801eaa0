import type { Effort } from '../core/neutral/model-request.ts'
import type { ModelTraits } from '../protocols/model-traits.ts'
import { bareName } from './vendor.ts'

/** Reasoning models reject sampling, stop sequences and the older limit field. Each was observed as a 400. */
function reasoning(efforts: readonly Effort[]): ModelTraits {
  return {
    outputLimitField: 'max_completion_tokens',
    instructionRole: 'developer',
    takesSampling: false,
    stopMax: 0,
    thinking: 'effort',
    efforts,
    ...(efforts.includes('none') ? {} : { alwaysThinks: true }),
  }
}

/** These models accept the limit under both names, so the client's field stays. */
function plain(structuredOutput: 'json_schema' | 'json_object' | 'none'): ModelTraits {
  return { thinking: 'none', structuredOutput }
}

/** The model reasons on its own and accepts no setting for it. */
const fixedReasoning: ModelTraits = {
  ...plain('json_schema'),
  outputLimitField: 'max_completion_tokens',
  takesSampling: false,
  stopMax: 0,
}

const newest = reasoning(['none', 'low', 'medium', 'high', 'xhigh', 'max'])

/** The first matching row decides. An unknown name is treated as the newest model. */
const table: readonly (readonly [RegExp, ModelTraits])[] = [
  [/^o1-(?:mini|preview)/, { ...fixedReasoning, structuredOutput: 'none' }],
  [/^(?:o\d|codex-mini)/, reasoning(['low', 'medium', 'high'])],
  [/^gpt-5-chat/, plain('json_schema')],
  [/^gpt-\d\.\d+-chat/, fixedReasoning],
  [/^gpt-5-pro/, reasoning(['high'])],
  [/^gpt-5\.\d+-pro/, reasoning(['medium', 'high', 'xhigh'])],
  [/^gpt-5\.1-codex-max/, reasoning(['low', 'medium', 'high', 'xhigh'])],
  [/^gpt-5\.1-codex-mini/, reasoning(['medium', 'high'])],
  [/^gpt-5(?:\.1)?-codex/, reasoning(['low', 'medium', 'high'])],
  [/^gpt-5\.\d+-codex/, reasoning(['low', 'medium', 'high', 'xhigh'])],
  [/^gpt-5(?![.\d])/, reasoning(['minimal', 'low', 'medium', 'high'])],
  [/^gpt-5\.1(?!\d)/, reasoning(['none', 'low', 'medium', 'high'])],
  [/^gpt-5\.[2-5](?!\d)/, reasoning(['none', 'low', 'medium', 'high', 'xhigh'])],
  [/^gpt-6-astra/, reasoning(['low', 'medium', 'high', 'xhigh', 'max'])],
  [/^gpt-4o.*-search/, { ...plain('json_schema'), takesSampling: false }],
  [/^(?:chatgpt-)?(?:gpt-)?4o|^gpt-4\.\d/, plain('json_schema')],
  [/^gpt-4-(?:turbo|1106|0125)|^gpt-3/, plain('json_object')],
  [/^gpt-4(?![.\d])/, plain('none')],
]

/** The traits of an OpenAI model, whoever serves it. */
export function gptTraits(model: string): ModelTraits {
  const name = bareName(model)
  return table.find(([pattern]) => pattern.test(name))?.[1] ?? newest
}
