import type { Engine, Unit } from '../../store/engine.ts'
import { GroupCommit } from '../../store/group-commit.ts'
import { joinUnits } from '../../store/join-units.ts'
import { databaseNow } from '../replica.ts'
import { closeUnit, type LeaseFacts, type LeaseOwner, reclaimUnit } from './lease-units.ts'

const pageRowsMax = 200

/** All leases of one life, which is over. */
export function closeLeasesOf(engine: Engine, { replica, epoch }: LeaseOwner): Promise<number> {
  const query = leasesIn(engine).where('replica', '=', replica).where('epoch', '=', epoch)
  return closePages(engine, query, closeUnit)
}

/**
 * Leases whose time is over belong to processes that are gone for good, and their journals with them; their money goes
 * home.
 */
export function reclaimLeases(engine: Engine): Promise<number> {
  const query = leasesIn(engine).where('reclaim_at', '<', databaseNow(engine))
  return closePages(engine, query, (facts) => reclaimUnit(facts, engine.clockSql))
}

function leasesIn({ db }: Engine) {
  return db
    .selectFrom('lease')
    .select(['id', 'account_id', 'key_id', 'replica', 'epoch'])
    .orderBy('replica')
    .orderBy('epoch')
    .orderBy('key_id')
}

type LeaseQuery = ReturnType<typeof leasesIn>
type LeaseRow = Awaited<ReturnType<LeaseQuery['execute']>>[number]

async function closePages(
  engine: Engine,
  query: LeaseQuery,
  close: (facts: LeaseFacts) => Unit,
): Promise<number> {
  // A batch that was caught between others' locks is repeated.
  const commits = new GroupCommit(engine)
  for (let count = 0; ; ) {
    const rows = await query.limit(pageRowsMax).execute()
    if (rows.length === 0) return count
    const pools = poolsOf(rows)
    // The last one of a full page may go on behind it.
    if (rows.length === pageRowsMax && pools.length > 1) pools.pop()
    const before = count
    for (const pool of pools) {
      const closes = pool.map((row) =>
        close({ leaseId: row.id, accountId: row.account_id, keyId: row.key_id }),
      )
      count += closedBy(closes, await commits.run(joinUnits(closes)))
    }
    // Whatever does not let itself be closed now is tried again by the next who looks.
    if (count === before) return count
  }
}

/**
 * What one process had for one key goes home as one: a lease may owe what another of them pays for, and whoever got
 * that money in between would spend what is owed.
 */
function poolsOf(rows: readonly LeaseRow[]): LeaseRow[][] {
  const pools: LeaseRow[][] = []
  for (const row of rows) {
    const pool = pools.at(-1)
    const isSame =
      pool?.[0]?.key_id === row.key_id &&
      pool[0].replica === row.replica &&
      pool[0].epoch === row.epoch
    if (pool && isSame) pool.push(row)
    else pools.push([row])
  }
  return pools
}

/** The last statement of each unit is the one that takes its lease away. */
function closedBy(
  closes: readonly Unit[],
  results: readonly ({ readonly changes: number } | null)[],
): number {
  let end = 0
  let count = 0
  for (const { statements } of closes) {
    end += statements.length
    count += results[end - 1]?.changes ?? 0
  }
  return count
}
