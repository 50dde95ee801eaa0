import { readStatement } from '../../../ledger/audit/statement.ts'
import type { LedgerStatement } from '../../contract.ts'
import { brokenRule } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { missingAccount } from './describe-account.ts'

/** The statement from the entries themselves: slower than the statement from sums, and independent of it. */
export async function readLedgerStatement(
  call: CallOf<'GET /operate/accounts/{id}/statement'>,
): Promise<JsonAnswer<LedgerStatement>> {
  const { deps, id, query } = call
  const { from: fromMs, to: toMs } = query
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) {
    throw brokenRule('to', 'range_reversed')
  }
  const statement = await readStatement(deps.engine, id, { fromMs, toMs }, deps.clock.nowMs())
  if (!statement) throw missingAccount()
  return {
    body: {
      accountId: statement.accountId,
      openingNano: String(statement.openingNano),
      credits: statement.credits.map(({ atMs, amountNano, ...credit }) => ({
        ...credit,
        at: atMs,
        amountNano: String(amountNano),
      })),
      spending: statement.spending.map(({ costNano, ...line }) => ({
        ...line,
        costNano: String(costNano),
      })),
      closingNano: String(statement.closingNano),
      sinceNano: String(statement.sinceNano),
      availableNano: String(statement.availableNano),
      leasedNano: String(statement.leasedNano),
      differenceNano: String(statement.differenceNano),
    },
  }
}
