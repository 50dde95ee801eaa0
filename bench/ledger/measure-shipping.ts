import { settleRecord } from '../../src/ledger/journal/settle-record.ts'
import type { Engine } from '../../src/store/engine.ts'
import { benchHoldRequest, benchRecords, benchSettlement } from './bench-requests.ts'
import { measure } from './drive.ts'
import type { LedgerFigures } from './ledger-case.ts'

const requestsPerBatch = 4_096
const requestsPerText = 16
const batches = 12
const warmUpBatches = 4

/** Ships full batches of settlements to the database, like the shipper under high load. */
export async function measureShipping(engine: Engine, keys: number): Promise<LedgerFigures> {
  const ship = async (all: readonly string[][]): Promise<void> => {
    for (const texts of all) await engine.applyRecords(texts)
  }
  let made = 0
  const makeText = (): string => {
    const records = Array.from({ length: requestsPerText }, () => {
      const request = benchHoldRequest(made % keys)
      made += 1
      const leaseId = `lease-${request.keyId}`
      return [settleRecord({ ...request, leaseId }, benchSettlement), ...benchRecords(request)]
    })
    return JSON.stringify(records.flat())
  }
  const makeBatch = (): string[] =>
    Array.from({ length: requestsPerBatch / requestsPerText }, makeText)
  await openLeases(engine)
  await ship(Array.from({ length: warmUpBatches }, makeBatch))
  const all = Array.from({ length: batches }, makeBatch)
  const { main, all: whole, ms } = await measure(() => ship(all))
  const requests = batches * requestsPerBatch
  return {
    mainMicroseconds: main / requests,
    allMicroseconds: whole / requests,
    requestsPerSecond: (requests * 1000) / ms,
  }
}

/** Opens the lease to which the requests of each key are charged. */
async function openLeases({ db }: Engine): Promise<void> {
  const keys = await db.selectFrom('api_key').select(['id', 'account_id']).execute()
  const leases = keys.map((key) => ({
    id: `lease-${key.id}`,
    replica: 'bench',
    epoch: 1,
    account_id: key.account_id,
    key_id: key.id,
    granted_nano: 0n,
    used_nano: 0n,
    version: 1,
    created_at: 1,
    reclaim_at: 1,
  }))
  await db.insertInto('lease').values(leases).execute()
}
