import { healthRules as rules } from './health-rules.ts'
import type { Lane } from './route-set.ts'
import type { TargetHealth } from './target-health.ts'

/** Why a lane stands where it does: drawn by its weight, or better off than the other one that was drawn with it. */
export type DrawReason = 'weight' | 'load'

/**
 * Puts lanes of one priority in the order in which they are tried, in place. The first is the less loaded of two
 * that are drawn by weight, an ill one's weight counting less; the others follow by weight alone. A weight of 0
 * keeps a lane in reserve: it comes after all others.
 */
export function drawLanes(lanes: Lane[], random: () => number): DrawReason {
  let reason: DrawReason = 'weight'
  for (let place = 0; place < lanes.length - 1; place += 1) {
    const total = totalWeight(lanes, place)
    let drawn = draw(lanes, place, total, random)
    if (place === 0) {
      const other = draw(lanes, place, total, random)
      if (isBetterOff(lanes, other, drawn)) {
        drawn = other
        reason = 'load'
      }
    }
    const lane = lanes[drawn]
    const displaced = lanes[place]
    if (!lane || !displaced) break
    lanes[drawn] = displaced
    lanes[place] = lane
  }
  return reason
}

function totalWeight(lanes: readonly Lane[], from: number): number {
  let total = 0
  for (let index = from; index < lanes.length; index += 1) total += weightOf(lanes[index])
  return total
}

function draw(lanes: readonly Lane[], from: number, total: number, random: () => number): number {
  // Only those in reserve are left: one is as good as another.
  if (total === 0) return from + Math.floor(random() * (lanes.length - from))
  let point = random() * total
  let last = from
  for (let index = from; index < lanes.length; index += 1) {
    const weight = weightOf(lanes[index])
    if (weight === 0) continue
    last = index
    point -= weight
    if (point < 0) return index
  }
  return last
}

function weightOf(lane: Lane | undefined): number {
  if (!lane || lane.route.weight === 0) return 0
  const wellness = targetOf(lane)?.wellness ?? 1
  return lane.route.weight * Math.max(wellness, rules.wellnessMin)
}

function isBetterOff(lanes: readonly Lane[], one: number, other: number): boolean {
  if (one === other) return false
  const left = lanes[one]
  const right = lanes[other]
  const leftTarget = left && targetOf(left)
  const rightTarget = right && targetOf(right)
  if (!leftTarget || !rightTarget) return false
  // Who has not been measured yet is compared by what is under way alone.
  const isMeasured = leftTarget.latencyMs > 0 && rightTarget.latencyMs > 0
  const leftLoad = queueOf(leftTarget, left) * (isMeasured ? leftTarget.latencyMs : 1)
  const rightLoad = queueOf(rightTarget, right) * (isMeasured ? rightTarget.latencyMs : 1)
  return leftLoad * (1 + rules.loadTolerance) < rightLoad
}

/** What is under way in the measure of the weight: twice the weight carries twice as much. */
function queueOf(target: TargetHealth, { route }: Lane): number {
  return 1 + target.inFlight / Math.max(route.weight, 1e-9)
}

function targetOf({ candidates }: Lane): TargetHealth | undefined {
  return candidates[0]?.slot.target
}
