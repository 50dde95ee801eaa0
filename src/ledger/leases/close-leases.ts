import type { Engine, Unit } from '../../store/engine.ts'
import { databaseNow } from '../../store/rows/database-now.ts'
import { GroupCommit } from '../../store/units/group-commit.ts'
import { joinUnits } from '../../store/units/join-units.ts'
import { closeUnit, type LeaseFacts, type LeaseOwner, reclaimUnit } from './lease-units.ts'

const pageRowsMax = 200

/** Closes all leases of one finished life. */
export function closeLeasesOf(engine: Engine, { replica, epoch }: LeaseOwner): Promise<number> {
  const query = leasesIn(engine).where('replica', '=', replica).where('epoch', '=', epoch)
  return closePages(engine, query, closeUnit)
}

/**
 * Closes expired leases. Their processes, and the journals of these processes, are gone for good, so the unused money
 * returns to the account.
 */
export function reclaimLeases(engine: Engine): Promise<number> {
  const query = leasesIn(engine).where('reclaim_at', '<', databaseNow(engine))
  return closePages(engine, query, (facts) => reclaimUnit(facts, engine.clockSql))
}

function leasesIn({ db }: Engine) {
  return db
    .selectFrom('lease')
    .select(['id', 'account_id', 'key_id', 'replica', 'epoch', 'budget_set'])
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
  // GroupCommit repeats a batch that the database aborted because of a deadlock.
  const commits = new GroupCommit(engine)
  for (let count = 0; ; ) {
    const rows = await query.limit(pageRowsMax).execute()
    if (rows.length === 0) return count
    const pools = poolsOf(rows)
    // The last pool of a full page may continue on the next page.
    if (rows.length === pageRowsMax && pools.length > 1) pools.pop()
    const before = count
    for (const pool of pools) {
      const closes = pool.map((row) =>
        close({
          leaseId: row.id,
          accountId: row.account_id,
          keyId: row.key_id,
          budgetSet: row.budget_set,
        }),
      )
      count += closedBy(closes, await commits.run(joinUnits(closes)))
    }
    // A lease that cannot be closed now is left for the next caller.
    if (count === before) return count
  }
}

/**
 * Closes all leases of one process and one key in one unit. One lease may owe money that another lease covers; if only
 * the covering lease were closed, another request could spend the owed money.
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

/** The last statement of each unit deletes the lease. */
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
