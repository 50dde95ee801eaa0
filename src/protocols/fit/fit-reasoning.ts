import { type Effort, efforts, type ReasoningRequest } from '../../core/neutral/model-request.ts'
import type { ModelTraits } from '../model-traits.ts'

const usualEfforts: readonly Effort[] = ['low', 'medium', 'high']
const budgetTokensMin = 1_024

/** The budget as a share of the output limit below which each effort applies. */
const lowBelow = 0.35
const mediumBelow = 0.65

/** Shares of the output limit (messages), or of the model's budget range (Gemini). */
const shareOfOutput = { low: 0.25, medium: 0.5, high: 0.75 }
const shareOfRange = { low: 0.2, medium: 0.5, high: 0.8 }
const minimalBudgetTokens = 512

/** The effort that this model accepts for a reasoning request; undefined leaves the choice to the model. */
export function effortFor(
  request: ReasoningRequest | undefined,
  traits: ModelTraits,
  outputTokensMax: number,
): Effort | undefined {
  if (traits.thinking === 'none') return undefined
  const requested = requestedEffort(request, outputTokensMax)
  if (requested === undefined) return undefined
  const taken = traits.efforts ?? usualEfforts
  if (requested !== 'none') return nearestEffort(requested, taken)
  const canBeOff = traits.efforts ? taken.includes('none') : traits.alwaysThinks !== true
  return canBeOff ? 'none' : nearestEffort('minimal', taken)
}

/** The reasoning budget in tokens; `off` disables reasoning; undefined leaves the choice to the model. */
export function budgetFor(
  request: ReasoningRequest | undefined,
  traits: ModelTraits,
  outputTokensMax: number,
): number | 'off' | undefined {
  if (traits.thinking === 'none' || !request || request.mode === 'auto') return undefined
  const { budgetTokens } = request
  if (request.mode === 'budget' && budgetTokens !== undefined && budgetTokens > 0) {
    return clampBudget(budgetTokens, traits)
  }
  const requested = requestedEffort(request, outputTokensMax)
  if (requested === 'none') return traits.alwaysThinks === true ? traits.budgetMin : 'off'
  return requested && clampBudget(budgetOfEffort(requested, traits, outputTokensMax), traits)
}

function requestedEffort(request: ReasoningRequest | undefined, outputTokensMax: number) {
  switch (request?.mode) {
    case 'off':
      return 'none'
    case 'effort':
      return request.effort
    case 'budget':
      return request.budgetTokens === undefined
        ? undefined
        : effortOfBudget(request.budgetTokens, outputTokensMax)
    case 'auto':
    case undefined:
      return undefined
  }
}

/** In Gemini, a negative budget lets the model decide. */
function effortOfBudget(budgetTokens: number, outputTokensMax: number): Effort | undefined {
  if (budgetTokens < 0) return undefined
  if (budgetTokens === 0) return 'none'
  const share = budgetTokens / Math.max(outputTokensMax, 1)
  if (share < lowBelow) return 'low'
  return share < mediumBelow ? 'medium' : 'high'
}

/** The next lower accepted effort, else the next higher. A request for reasoning never becomes a request for none. */
function nearestEffort(requested: Effort, taken: readonly Effort[]): Effort | undefined {
  const rank = efforts.indexOf(requested)
  const thinking = efforts.filter((effort) => effort !== 'none' && taken.includes(effort))
  return thinking.findLast((effort) => efforts.indexOf(effort) <= rank) ?? thinking[0]
}

function budgetOfEffort(effort: Effort, traits: ModelTraits, outputTokensMax: number): number {
  const { budgetMin = 0, budgetMax } = traits
  const isGreatest = effort === 'xhigh' || effort === 'max'
  const share = budgetMax === undefined ? shareOfOutput : shareOfRange
  if (effort === 'none') return 0
  if (effort === 'minimal') return minimalBudgetTokens
  if (budgetMax === undefined) {
    return isGreatest ? outputTokensMax - budgetTokensMin : outputTokensMax * share[effort]
  }
  return isGreatest ? budgetMax : budgetMin + (budgetMax - budgetMin) * share[effort]
}

function clampBudget(budgetTokens: number, traits: ModelTraits): number {
  const { budgetMin = budgetTokensMin, budgetMax = Number.POSITIVE_INFINITY } = traits
  return Math.round(Math.min(Math.max(budgetTokens, budgetMin), budgetMax))
}
