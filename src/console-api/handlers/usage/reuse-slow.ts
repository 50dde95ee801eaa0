/** An answer that took less is asked for anew each time … */
const slowMs = 200
/** … and one that took more is reused for so many times as long as it took. */
const reuseTimes = 20
const reuseMsMax = 60_000
const answersMax = 100

interface Kept {
  readonly answer: Promise<unknown>
  untilMs: number
}

/** By what was asked, for each database. */
const kept = new WeakMap<object, Map<string, Kept>>()

/**
 * Keeps what a slow question found for a while, so that pages which ask every few seconds do not keep a database busy
 * that has much to add up. Who asks while it is looked for gets the same answer.
 */
export function reuseSlow<Answer>(
  owner: object,
  question: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const answers = kept.get(owner) ?? new Map<string, Kept>()
  kept.set(owner, answers)
  const startedMs = performance.now()
  const known = answers.get(question)
  // Only ever kept under the question whose answer it is.
  if (known && known.untilMs > startedMs) return known.answer as Promise<Answer>
  const answer = ask()
  const fresh: Kept = { answer, untilMs: Number.POSITIVE_INFINITY }
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
