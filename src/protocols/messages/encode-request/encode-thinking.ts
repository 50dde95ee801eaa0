import type {
  Effort,
  ModelRequest,
  Part,
  ReasoningRequest,
} from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { budgetFor, effortFor } from '../../fit/fit-reasoning.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { isOwn } from '../values/opaque.ts'

export interface Thinking {
  /** The field `thinking`; undefined leaves it out. */
  readonly field: JsonObject | undefined
  readonly effort: string | undefined
  /** The output limit, raised where the budget needs room. */
  readonly outputTokensMax: number
  readonly isOn: boolean
}

export function encodeThinking(
  request: ModelRequest,
  target: Target,
  outputTokensMax: number,
  notes: Notes,
): Thinking {
  const { reasoning } = request
  const none: Thinking = { field: undefined, effort: undefined, outputTokensMax, isOn: false }
  if (!reasoning) return none
  const isOff = reasoning.mode === 'off' || reasoning.effort === 'none'
  if (target.traits.thinking === 'none') {
    if (!isOff) notes.lossy('reasoning')
    return none
  }
  if (isOff) return switchOff(reasoning, target, none, notes)
  if (target.traits.thinking === 'budget')
    return withBudget(request, reasoning, target, none, notes)
  const effort = effortFor(reasoning, target.traits, outputTokensMax)
  if (isPrefilled(request)) return withoutThinking(none, notes, wordOf(effort))
  return {
    ...none,
    field: { type: 'adaptive', ...display(reasoning, 'summarized') },
    effort: wordOf(effort),
    isOn: true,
  }
}

function switchOff(
  reasoning: ReasoningRequest,
  target: Target,
  none: Thinking,
  notes: Notes,
): Thinking {
  if (target.traits.alwaysThinks === true) {
    notes.lossy('reasoning')
    return none
  }
  const isKnown =
    reasoning.effort !== undefined && target.traits.efforts?.includes(reasoning.effort) === true
  const effort = isKnown && reasoning.effort !== 'none' ? reasoning.effort : undefined
  return { ...none, field: { type: 'disabled' }, effort }
}

/** Manual thinking allows no forced tool, no prefilled answer, and no open tool loop whose reasoning is missing. */
function withBudget(
  request: ModelRequest,
  reasoning: ReasoningRequest,
  target: Target,
  none: Thinking,
  notes: Notes,
): Thinking {
  const { outputTokensMax } = none
  const asked: ReasoningRequest =
    reasoning.mode === 'auto' ? { mode: 'effort', effort: 'medium' } : reasoning
  const budget = budgetFor(asked, target.traits, outputTokensMax)
  if (budget === undefined || budget === 'off') return none
  if (isForced(request)) {
    notes.lossy('reasoning')
    return none
  }
  const loop = pendingToolTurn(request)
  const isWithoutReasoning = loop.length > 0 && !loop.some((part) => isReasoning(part, target))
  if (isWithoutReasoning || isPrefilled(request)) return withoutThinking(none, notes, undefined)
  const raised = Math.min(
    budget + outputTokensMax,
    Math.max(target.outputTokensMax, outputTokensMax),
  )
  const limit = budget < outputTokensMax ? outputTokensMax : raised
  if (limit !== outputTokensMax) notes.harmless('outputTokensMax', 'raised')
  const budgetTokens = Math.min(budget, limit - 1)
  const field = { type: 'enabled', budget_tokens: budgetTokens, ...display(reasoning, undefined) }
  return { ...none, field, outputTokensMax: limit, isOn: true }
}

function withoutThinking(none: Thinking, notes: Notes, effort: string | undefined): Thinking {
  notes.harmless('reasoning')
  return { ...none, effort }
}

function isReasoning(part: Part, target: Target): boolean {
  const opaque = part.type === 'reasoning' || part.type === 'tool-call' ? part.opaque : undefined
  return opaque !== undefined && isOwn(opaque, target.issuer)
}

function isForced({ toolChoice, tools }: ModelRequest): boolean {
  if (!toolChoice || tools.length === 0) return false
  if (toolChoice.type === 'allowed') return toolChoice.isRequired
  return toolChoice.type === 'required' || toolChoice.type === 'tool'
}

function isPrefilled({ turns }: ModelRequest): boolean {
  return turns.at(-1)?.role === 'assistant'
}

function wordOf(effort: Effort | undefined): string | undefined {
  if (effort === 'none') return undefined
  return effort === 'minimal' ? 'low' : effort
}

/** A model that reasons by a budget shows its reasoning by default; other models hide it. */
function display({ isVisible }: ReasoningRequest, shown: 'summarized' | undefined): JsonObject {
  const word = isVisible === true ? shown : isVisible === false ? 'omitted' : undefined
  return word === undefined ? {} : { display: word }
}

/**
 * The model's parts since the user last spoke, if the model has called tools and the results arrive now: the model then
 * continues the same reasoning. Empty when it is the user's turn.
 */
function pendingToolTurn({ turns }: ModelRequest): readonly Part[] {
  const parts: Part[] = []
  let hasResults = false
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index]
    if (!turn || turn.role === 'system') continue
    if (turn.role === 'assistant') {
      if (!hasResults) return []
      parts.push(...turn.parts)
    } else if (turn.parts.some(({ type }) => type === 'tool-result')) hasResults = true
    else if (parts.length > 0) break
  }
  return parts
}
