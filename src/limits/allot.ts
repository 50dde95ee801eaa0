/** The demand of one process for a limit. */
export interface Demand {
  readonly replica: string
  readonly count: number
  /** The part of the demand that is in use and cannot be taken away: places of running requests. */
  readonly occupied?: number
}

/** An idle process counts as if it wanted this part of the limit, so that its first requests pass. */
const idlePart = 0.05

/**
 * Splits a limit among processes into whole numbers whose sum is the limit. All of them calculate the same from the
 * same demands. Each process keeps what is in use. The parts are equal while no demand exceeds an equal part, because
 * what moves begins empty. If the demands exceed the rest, small ones are met and large ones get equal parts. Otherwise
 * the rest goes to all, mostly to those with demand.
 */
export function allot(limit: number, given: readonly Demand[]): ReadonlyMap<string, number> {
  const kept = given.reduce((sum, { occupied = 0 }) => sum + occupied, 0)
  const free = Math.max(0, limit - kept)
  const wanted = given.map(({ replica, count, occupied = 0 }) => {
    return { replica, count: Math.max(0, count - occupied) }
  })
  const parts = new Map(free === 0 ? [] : split(free, wanted))
  for (const { replica, occupied = 0 } of given)
    parts.set(replica, (parts.get(replica) ?? 0) + occupied)
  return parts
}

function split(limit: number, given: readonly Demand[]): ReadonlyMap<string, number> {
  // The same order everywhere, because sums of fractions depend on it.
  const demands = given.toSorted((one, other) => (one.replica < other.replica ? -1 : 1))
  const equal = limit / demands.length
  const parts = new Map(demands.map(({ replica }) => [replica, equal]))
  if (demands.every(({ count }) => count <= equal)) return inWholes(limit, parts)
  const ascending = demands.toSorted((one, other) => one.count - other.count)
  let left = limit
  for (const [index, { replica, count }] of ascending.entries()) {
    const part = Math.min(count, left / (ascending.length - index))
    parts.set(replica, part)
    left -= part
  }
  const weights = demands.map(({ count }) => Math.min(count, limit) + limit * idlePart)
  const weightSum = weights.reduce((sum, weight) => sum + weight, 0)
  for (const [index, { replica }] of demands.entries()) {
    const more = (left * (weights[index] ?? 0)) / weightSum
    parts.set(replica, (parts.get(replica) ?? 0) + more)
  }
  return inWholes(limit, parts)
}

/** Sums of fractions are not exact. Parts that differ by less are equal. */
const precision = 1e-9

/**
 * Rounds down, and gives the rest to the largest fractions. Equal fractions are decided by name, so that the same
 * processes have the rest as long as the demands exceed the limit: a part that moves begins empty.
 */
function inWholes(limit: number, parts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const floors = [...parts].map(([replica, part]) => {
    const whole = Math.floor(part + precision)
    return { replica, whole, fraction: Math.round((part - whole) / precision) }
  })
  let rest = limit - floors.reduce((sum, { whole }) => sum + whole, 0)
  const byFraction = floors.toSorted(
    (one, other) => other.fraction - one.fraction || (one.replica < other.replica ? -1 : 1),
  )
  return new Map(
    byFraction.map(({ replica, whole }) => {
      const more = rest > 0 ? 1 : 0
      rest -= more
      return [replica, whole + more]
    }),
  )
}
