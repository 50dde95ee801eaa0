import type { Clock } from '../../core/time/clock.ts'
import { lastAuditAtMs } from '../../ledger/audit/audit-state.ts'
import { type AuditStop, listStops } from '../../ledger/audit/audit-stops.ts'
import { auditLimits, LedgerAuditor } from '../../ledger/audit/audit-turn.ts'
import { findingLine } from '../../ledger/audit/finding-line.ts'
import { type Engine, forBackgroundWork } from '../../store/engine.ts'
import type { Log } from '../../telemetry/log.ts'

/** The result of the last self-audit; the same in every process, at most a minute old. */
export interface AuditReadings {
  /** Accounts whose ledger does not balance, including released ones. */
  readonly outOfBalance: number
  /** Of these, the accounts that get no leases. */
  readonly stopped: number
  readonly lastAtMs: number | undefined
  readonly oldestLeaseAtMs: number | undefined
}

export interface SelfAudit {
  readonly readings: AuditReadings
  close(): Promise<void>
}

export interface SelfAuditDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
}

const firstAfterMs = 5_000

/** Audits the ledger every minute. Processes take turns, with jitter. */
export function openSelfAudit(deps: SelfAuditDeps): SelfAudit {
  const { clock, log, random } = deps
  const engine = forBackgroundWork(deps.engine)
  const auditor = new LedgerAuditor(engine, clock)
  let readings: AuditReadings = {
    outOfBalance: 0,
    stopped: 0,
    lastAtMs: undefined,
    oldestLeaseAtMs: undefined,
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> = Promise.resolve()
  const look = async (): Promise<void> => {
    try {
      const stops = await audit(auditor, deps)
      readings = await read(engine, stops)
    } catch (error) {
      log.warn('audit_failed', { why: String(error) })
    }
  }
  const plan = (delayMs: number): void => {
    timer = setTimeout(
      () => {
        running = look().then(() => {
          if (timer !== undefined) plan(auditLimits.everyMs)
        })
      },
      delayMs * (0.9 + random() * 0.2),
    )
  }
  plan(firstAfterMs)
  return {
    get readings() {
      return readings
    },
    close: async () => {
      clearTimeout(timer)
      timer = undefined
      await running
    },
  }
}

/** Runs one audit, unless another process has run it, and logs the result. */
async function audit(auditor: LedgerAuditor, { engine, log }: SelfAuditDeps): Promise<AuditStop[]> {
  const report = await auditor.turn()
  const stops = await listStops(engine)
  if (!report) return stops
  if (!report.isCounted) log.info('ledger_audit_incomplete')
  for (const account of report.cleared) log.warn('ledger_balanced', { account })
  for (const { accountId, foundAtMs, findings, isReleased } of stops) {
    if (isReleased) continue
    log.error('ledger_unbalanced', {
      account: accountId,
      since: new Date(foundAtMs).toISOString(),
      findings: findings.map(findingLine).join('; '),
      why: `this account gets no new leases; see "tollgate audit", then "tollgate audit --release ${accountId}"`,
    })
  }
  return stops
}

async function read(engine: Engine, stops: readonly AuditStop[]): Promise<AuditReadings> {
  const lease = await engine.db
    .selectFrom('lease')
    .select(({ fn }) => fn.min('created_at').as('created_at'))
    .executeTakeFirst()
  return {
    outOfBalance: stops.length,
    stopped: stops.filter(({ isReleased }) => !isReleased).length,
    lastAtMs: await lastAuditAtMs(engine),
    oldestLeaseAtMs: lease?.created_at ?? undefined,
  }
}
