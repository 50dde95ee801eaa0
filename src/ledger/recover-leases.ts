import { noUsage } from '../core/usage.ts'
import type { Engine, Statement } from '../store/engine.ts'
import type { LeaseTable } from '../store/tables.ts'
import { isObject, parseJson } from '../wire/json.ts'
import type { LeaseOwner } from './hold-unit.ts'
import type { HoldStory, Settlement } from './ledger.ts'
import { settleUnit } from './settle-unit.ts'

const pageRowsMax = 200

export interface RecoveredRequest {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly story: HoldStory
  readonly settlement: Settlement
}

/**
 * Settles what processes that died have left behind: earlier epochs of this one, and any whose time is over.
 * Each becomes exactly one entry, marked `interrupted`, for the input that was sent upstream.
 */
export async function recoverLeases(
  engine: Engine,
  owner: LeaseOwner,
  nowMs: number,
  logRow: (recovered: RecoveredRequest) => readonly Statement[],
): Promise<number> {
  let count = 0
  for (;;) {
    const leases = await engine.db
      .selectFrom('lease')
      .selectAll()
      .where((eb) =>
        eb.or([
          eb('reclaim_at', '<', nowMs),
          eb.and([eb('replica', '=', owner.replica), eb('epoch', '<', owner.epoch)]),
        ]),
      )
      .limit(pageRowsMax)
      .execute()
    if (leases.length === 0) return count
    for (const lease of leases) {
      const recovered = readRecovered(lease)
      const hold = { ...recovered, grantedNano: lease.granted_nano }
      await engine.runUnits([settleUnit(hold, recovered.settlement, logRow(recovered))])
    }
    count += leases.length
  }
}

function readRecovered(lease: LeaseTable): RecoveredRequest {
  const parsed = parseJson(lease.request)
  // The text was written by `holdUnit` from this very type.
  const story = (isObject(parsed) ? parsed : {}) as unknown as HoldStory
  return {
    requestId: lease.id,
    accountId: lease.account_id,
    keyId: lease.key_id,
    story,
    settlement: {
      costNano: lease.recovery_nano,
      usage: { ...noUsage, input: story.inputTokens },
      usageSource: 'recovered',
      priceVersionId: story.priceVersionId,
      factorMicro: BigInt(story.factorMicro),
      flags: ['interrupted'],
    },
  }
}
