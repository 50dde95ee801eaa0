/** A faster result is not reused. */
const slowMs = 200
/** A slow result is reused for this multiple of the time it took. */
const reuseTimes = 20
const reuseMsMax = 60_000
const answersMax = 100

interface ReusableAnswer {
  readonly answer: Promise<unknown>
  untilMs: number
}

/** Results by query, per database. */
const kept = new WeakMap<object, Map<string, ReusableAnswer>>()

/**
 * Reuses the result of a slow query for a while, so that pages that poll do not keep the database busy. Concurrent
 * callers share one query.
 */
export function reuseSlow<Answer>(
  owner: object,
  question: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const answers = kept.get(owner) ?? new Map<string, ReusableAnswer>()
  kept.set(owner, answers)
  const startedMs = performance.now()
  const known = answers.get(question)
  // The result was stored under the same query.
  if (known && known.untilMs > startedMs) return known.answer as Promise<Answer>
  const answer = ask()
  const fresh: ReusableAnswer = { answer, untilMs: Number.POSITIVE_INFINITY }
  if (answers.size >= answersMax) answers.clear()
  answers.set(question, fresh)
  answer.then(
    () => {
      const tookMs = performance.now() - startedMs
      const reuseMs = tookMs < slowMs ? 0 : Math.min(tookMs * reuseTimes, reuseMsMax)
      fresh.untilMs = performance.now() + reuseMs
    },
    () => {
      fresh.untilMs = 0
    },
  )
  return answer
}
