import type { FailureCause } from '../../../src/routing/failure-cause.ts'
import type { RouteWords } from './build-catalog.ts'

/** The result of one request at an upstream. */
export interface Outcome {
  /** The time until the first token or the failure. */
  readonly afterMs: number
  readonly cause?: FailureCause
  readonly status?: number
  readonly cooldownMs?: number
}

export interface SimulatedUpstream {
  readonly words: RouteWords
  answer(nowMs: number, credential: string, random: () => number): Outcome
}

/** Between half and one and a half times the value. */
const around = (ms: number, random: () => number) => ms * (0.5 + random())

export function well(id: string, firstTokenMs = 400): SimulatedUpstream {
  return {
    words: { upstream: id },
    answer: (_, __, random) => ({ afterMs: around(firstTokenMs, random) }),
  }
}

/** No server listens, from `fromMs` until `untilMs`. */
export function dead(
  id: string,
  fromMs = 0,
  untilMs = Number.POSITIVE_INFINITY,
): SimulatedUpstream {
  const good = well(id)
  return {
    ...good,
    answer: (nowMs, credential, random) =>
      nowMs >= fromMs && nowMs < untilMs
        ? { afterMs: 5, cause: 'upstream' }
        : good.answer(nowMs, credential, random),
  }
}

/** Healthy for a while, then failing for as long. */
export function flapping(id: string, periodMs: number): SimulatedUpstream {
  const good = well(id)
  return {
    ...good,
    answer: (nowMs, credential, random) =>
      Math.floor(nowMs / periodMs) % 2 === 1
        ? { afterMs: around(100, random), cause: 'upstream', status: 503 }
        : good.answer(nowMs, credential, random),
  }
}

/** Accepts this many requests per second and credential, and sends `Retry-After` to the others. */
export function limited(id: string, perSecond: number): SimulatedUpstream {
  const good = well(id)
  const taken = new Map<string, number>()
  return {
    words: { upstream: id, credentials: ['1', '2'] },
    answer: (nowMs, credential, random) => {
      const window = `${credential} ${Math.floor(nowMs / 1_000)}`
      const count = (taken.get(window) ?? 0) + 1
      taken.set(window, count)
      if (count > perSecond) return { afterMs: 20, cause: 'limit', status: 429, cooldownMs: 1_000 }
      return good.answer(nowMs, credential, random)
    },
  }
}

/** Has lost half of its credentials. */
export function halfLocked(id: string): SimulatedUpstream {
  const good = well(id)
  return {
    words: { upstream: id, credentials: ['good 1', 'bad 1', 'good 2', 'bad 2'] },
    answer: (nowMs, credential, random) =>
      credential.startsWith('bad')
        ? { afterMs: 20, cause: 'credential', status: 401 }
        : good.answer(nowMs, credential, random),
  }
}
