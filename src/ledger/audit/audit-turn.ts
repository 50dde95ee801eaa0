import { firstRequestIdAt } from '../../core/id.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Engine } from '../../store/engine.ts'
import { type BalanceFinding, checkBalances, findingsMax } from './audit-check.ts'
import { countEntries } from './audit-points.ts'
import { recountKeys } from './audit-recount.ts'
import { type AuditState, advancePage, takeAuditTurn } from './audit-state.ts'
import { putStops } from './audit-stops.ts'
import { type LedgerFinding, sortFindings } from './finding-line.ts'

export const auditLimits = {
  everyMs: 60_000,
  /** Entries of younger requests are summed again in each turn; most requests end within this time. */
  settleMs: 10 * 60_000,
  /** Together a million entries each turn. A writer waits for one page at most. */
  pageRows: 2_000,
  pagesMax: 500,
  /** Number of accounts, and of keys, without activity that each turn checks. */
  quietRows: 5_000,
  recountPageRows: 20_000,
  recountKeysMax: 500,
  /** After a recount, the next one waits this many times the duration of the recount. */
  recountRest: 50,
}

export interface AuditReport {
  /** Findings by account. */
  readonly found: ReadonlyMap<string, readonly LedgerFinding[]>
  readonly cleared: readonly string[]
  /** Keys that do not add up and have not been recounted yet. */
  readonly undecided: number
  /** False while a large database is counted for the first time; nothing else is checked then. */
  readonly isCounted: boolean
}

/** Checks L1, once a minute for all processes of a database together. */
export class LedgerAuditor {
  readonly #engine: Engine
  readonly #clock: Clock
  readonly #limits: typeof auditLimits
  /** Keys that did not add up even after a recount, with the difference. */
  #confirmed = new Map<string, bigint>()
  #restUntilMs = Number.NEGATIVE_INFINITY

  constructor(engine: Engine, clock: Clock, limits = auditLimits) {
    this.#engine = engine
    this.#clock = clock
    this.#limits = limits
  }

  /** Undefined when another process has just run the audit. */
  async turn(): Promise<AuditReport | undefined> {
    const limits = this.#limits
    const nowMs = this.#clock.nowMs()
    const taken = await takeAuditTurn(this.#engine, nowMs, nowMs - limits.everyMs / 2)
    if (!taken) return undefined
    const settledId = firstRequestIdAt(nowMs - limits.settleMs)
    const through = await countEntries(this.#engine, taken.through, settledId, limits)
    if (through < settledId) return notCounted
    const state = { ...taken, through }
    const findings = await this.#check(state)
    if (!findings) return undefined
    await advancePage(this.#engine, state, limits.quietRows)
    return this.#conclude(findings, nowMs)
  }

  async #check(state: AuditState): Promise<BalanceFinding[] | undefined> {
    const findings = await checkBalances(this.#engine, state, this.#limits.quietRows)
    const suspects = findings?.filter((each) => !this.#isDecided(each)) ?? []
    if (suspects.length === 0 || this.#clock.monotonicMs() < this.#restUntilMs) return findings
    const recounted = new Set(suspects.slice(0, this.#limits.recountKeysMax).map(({ id }) => id))
    await this.#recount([...recounted], state.through)
    const again = await checkBalances(this.#engine, state, this.#limits.quietRows)
    for (const { kind, id, differenceNano } of again ?? []) {
      if (kind === 'entries' && recounted.has(id)) this.#confirmed.set(id, differenceNano)
    }
    return again
  }

  async #recount(keyIds: readonly string[], through: string): Promise<void> {
    const beganMs = this.#clock.monotonicMs()
    await recountKeys(this.#engine, keyIds, through, this.#limits.recountPageRows)
    const endedMs = this.#clock.monotonicMs()
    this.#restUntilMs = endedMs + (endedMs - beganMs) * this.#limits.recountRest
  }

  /** Only findings of kind `entries` can come from uncounted entries. */
  #isDecided({ kind, id, differenceNano }: BalanceFinding): boolean {
    return kind !== 'entries' || this.#confirmed.get(id) === differenceNano
  }

  async #conclude(findings: readonly BalanceFinding[], nowMs: number): Promise<AuditReport> {
    const decided = findings.filter((each) => this.#isDecided(each))
    const undecided = findings.filter((each) => !this.#isDecided(each))
    const standing = new Set(decided.map(({ id }) => id))
    this.#confirmed = new Map([...this.#confirmed].filter(([id]) => standing.has(id)))
    const found = byAccount(decided)
    const waiting = new Set(undecided.map(({ accountId }) => accountId))
    // If there are more findings than one check reports, no stop is cleared.
    const isUndecided = (accountId: string): boolean =>
      waiting.has(accountId) || findings.length >= findingsMax
    const { cleared } = await putStops(this.#engine, found, isUndecided, nowMs)
    return { found, cleared, undecided: undecided.length, isCounted: true }
  }
}

const notCounted: AuditReport = { found: new Map(), cleared: [], undecided: 0, isCounted: false }

function byAccount(findings: readonly BalanceFinding[]): Map<string, LedgerFinding[]> {
  const found = Map.groupBy(findings, ({ accountId }) => accountId)
  return new Map(
    [...found].map(([accountId, each]) => [
      accountId,
      sortFindings(each.map(({ kind, id, differenceNano }) => ({ kind, id, differenceNano }))),
    ]),
  )
}
