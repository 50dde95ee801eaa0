import type { Seen } from './callers.ts'
import type { ChaosLedger } from './chaos-ledger.ts'
import { costOf, inputNano, outputNano, outputTokensMax } from './chaos-shop.ts'

/** Everything that is not empty or zero here is an error. */
export interface Verdict {
  /** Complete or partial answers without an entry. */
  readonly lost: readonly string[]
  /** Complete answers with an entry of another amount. */
  readonly mischarged: readonly string[]
  /** Refused requests that were charged. */
  readonly unjust: readonly string[]
  /** The number of entries beyond the requests that can have been admitted. */
  readonly doubled: number
  /** The number of requests that reached the upstream and have no entry. */
  readonly unpaid: number
  /** Entries and answers without a usage row. */
  readonly unlogged: readonly string[]
  /** The difference between the hourly sums and the log, in requests. */
  readonly missummed: number
  readonly imbalances: ChaosLedger['imbalances']
  readonly overdrawnNano: bigint
  readonly absurd: readonly string[]
}

export const cleanVerdict: Verdict = {
  lost: [],
  mischarged: [],
  unjust: [],
  doubled: 0,
  unpaid: 0,
  unlogged: [],
  missummed: 0,
  imbalances: [],
  overdrawnNano: 0n,
  absurd: [],
}

/** No body of these tests is longer. */
const bodyBytesMax = 512
const framingTokens = 512
const holdNanoMax =
  BigInt(bodyBytesMax + framingTokens) * inputNano + BigInt(outputTokensMax) * outputNano

/** Compares what callers and the upstream have seen with the ledger, after the last request has ended. */
export function compareLedger(ledger: ChaosLedger, seen: Seen, asked: readonly number[]): Verdict {
  const { entries, rows } = ledger
  const isMischarged = ([id, number]: [string, number]): boolean => {
    const entry = entries.get(id)
    return entry !== undefined && (entry.source !== 'upstream' || entry.costNano !== costOf(number))
  }
  const tooDear = [...entries].filter(([, { costNano }]) => costNano < 0n || costNano > holdNanoMax)
  const answered = [...seen.whole.keys(), ...seen.begun]
  const mentioned = [...entries.keys(), ...answered, ...seen.refused.keys()]
  const refusedFirst = [...seen.refused].filter(([, status]) => status === 403 || status === 429)
  return {
    lost: answered.filter((id) => !entries.has(id)),
    mischarged: [...[...seen.whole].filter(isMischarged), ...tooDear].map(([id]) => id),
    unjust: refusedFirst.filter(([id]) => entries.has(id)).map(([id]) => id),
    doubled: Math.max(0, entries.size - (seen.sent - refusedFirst.length)),
    unpaid: Math.max(0, new Set(asked).size - entries.size),
    unlogged: mentioned.filter((id) => !rows.has(id)),
    missummed: ledger.summedRequests - rows.size,
    imbalances: ledger.imbalances,
    overdrawnNano: ledger.leastNano,
    absurd: seen.absurd,
  }
}
