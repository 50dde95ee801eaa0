import { auditLedger } from '../../../ledger/audit/audit-ledger.ts'
import { listStops } from '../../../ledger/audit/audit-stops.ts'
import { usageFloorMs } from '../../../usage/usage-floor.ts'
import { WorkGate } from '../../access/work-gate.ts'
import { change } from '../../changes/change.ts'
import { readIdempotency } from '../../changes/idempotent.ts'
import { stateProblemTexts } from '../../contract/refusal-texts.ts'
import type { LedgerCheckAnswer, ReplayAnswer } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { describeFinding } from './describe-finding.ts'

/** Each check reads the whole ledger, so a process runs one at a time and queues none. */
const checks = new WorkGate({ runningMax: 1, waitingMax: 0 })

/** Checks the whole ledger. Changes nothing. */
export async function checkLedger({ deps }: SignedInCall): Promise<JsonAnswer<LedgerCheckAnswer>> {
  const answer = checks.run(true, () => readLedgerCheck(deps))
  if (!answer) throw busy()
  return { body: await answer }
}

function busy(): ApiRefusal {
  const detail = 'ledger_check_busy'
  const headers = { 'retry-after': '10' }
  return new ApiRefusal('unavailable', stateProblemTexts[detail], { detail, headers })
}

async function readLedgerCheck({
  engine,
  gateway,
}: SignedInCall['deps']): Promise<LedgerCheckAnswer> {
  const { refusedRecords, damagedLines } = gateway.countLeftovers()
  const found = await auditLedger(engine, await usageFloorMs(engine))
  const stops = await listStops(engine)
  return {
    isInOrder: refusedRecords + damagedLines === 0 && found.every(({ wrong }) => wrong === 0),
    checks: found,
    refusedRecords,
    damagedLines,
    stops: stops.map(({ foundAtMs, findings, ...stop }) => ({
      ...stop,
      foundAt: foundAtMs,
      findings: findings.map(describeFinding),
    })),
  }
}

/** Applied records move money, so the audit log records it. The records are in files of this process. */
export async function replaySetAside(call: SignedInCall): Promise<JsonAnswer<ReplayAnswer>> {
  // Records are applied once anyway. A malformed idempotency key is still refused.
  readIdempotency(call.request, call.session.userId, null)
  const replayed = await call.deps.gateway.replayRefused()
  const { applied, refused, damaged } = replayed
  if (applied > 0) {
    await change(call, ({ record }) =>
      record({ action: 'ledger.replayed', subject: 'ledger', after: replayed }),
    )
  }
  return { body: { applied, refused, damaged } }
}
