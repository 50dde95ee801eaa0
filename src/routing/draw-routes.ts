import { healthRules as rules } from './health-rules.ts'
import type { RouteCandidates } from './route-set.ts'
import type { TargetHealth } from './target-health.ts'

/** Why a route has its position: drawn by weight, or less loaded than the other route drawn with it. */
export type DrawReason = 'weight' | 'load'

/**
 * Sorts the routes of one priority into the order of attempts, in place. The first is the less loaded of two routes
 * drawn by weight; poor health lowers the weight. The others follow by weight alone. A route with weight 0 is a reserve
 * and comes last.
 */
export function drawRoutes(options: RouteCandidates[], random: () => number): DrawReason {
  let reason: DrawReason = 'weight'
  for (let index = 0; index < options.length - 1; index += 1) {
    const total = totalWeight(options, index)
    let drawn = draw(options, index, total, random)
    if (index === 0) {
      const other = draw(options, index, total, random)
      if (isBetterOff(options, other, drawn)) {
        drawn = other
        reason = 'load'
      }
    }
    const option = options[drawn]
    const displaced = options[index]
    if (!option || !displaced) break
    options[drawn] = displaced
    options[index] = option
  }
  return reason
}

function totalWeight(options: readonly RouteCandidates[], from: number): number {
  let total = 0
  for (let index = from; index < options.length; index += 1) total += weightOf(options[index])
  return total
}

function draw(
  options: readonly RouteCandidates[],
  from: number,
  total: number,
  random: () => number,
): number {
  // Only reserves are left, and all of them are equal.
  if (total === 0) return from + Math.floor(random() * (options.length - from))
  let point = random() * total
  let last = from
  for (let index = from; index < options.length; index += 1) {
    const weight = weightOf(options[index])
    if (weight === 0) continue
    last = index
    point -= weight
    if (point < 0) return index
  }
  return last
}

function weightOf(option: RouteCandidates | undefined): number {
  if (!option || option.route.weight === 0) return 0
  const healthScore = targetOf(option)?.healthScore ?? 1
  return option.route.weight * Math.max(healthScore, rules.healthScoreMin)
}

function isBetterOff(options: readonly RouteCandidates[], one: number, other: number): boolean {
  if (one === other) return false
  const left = options[one]
  const right = options[other]
  const leftTarget = left && targetOf(left)
  const rightTarget = right && targetOf(right)
  if (!leftTarget || !rightTarget) return false
  // Without a measured latency, routes are compared by requests in flight alone.
  const isMeasured = leftTarget.latencyMs > 0 && rightTarget.latencyMs > 0
  const leftLoad = queueOf(leftTarget, left) * (isMeasured ? leftTarget.latencyMs : 1)
  const rightLoad = queueOf(rightTarget, right) * (isMeasured ? rightTarget.latencyMs : 1)
  return leftLoad * (1 + rules.loadTolerance) < rightLoad
}

/** Requests in flight relative to the weight: a route with twice the weight carries twice as many. */
function queueOf(target: TargetHealth, { route }: RouteCandidates): number {
  return 1 + target.inFlight / Math.max(route.weight, 1e-9)
}

function targetOf({ candidates }: RouteCandidates): TargetHealth | undefined {
  return candidates[0]?.state.target
}
