import type { Engine, Unit } from '../store/engine.ts'
import { GroupCommit } from '../store/group-commit.ts'
import { closeUnit, type LeaseFacts, type LeaseOwner, reclaimUnit } from './lease-units.ts'
import { databaseNow } from './replica.ts'

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
  return db.selectFrom('lease').select(['id', 'account_id', 'key_id'])
}

async function closePages(
  engine: Engine,
  query: ReturnType<typeof leasesIn>,
  close: (facts: LeaseFacts) => Unit,
): Promise<number> {
  // A batch that was caught between others' locks is repeated.
  const commits = new GroupCommit(engine)
  for (let count = 0; ; ) {
    const rows = await query.limit(pageRowsMax).execute()
    if (rows.length === 0) return count
    for (const row of rows) {
      const facts = { leaseId: row.id, accountId: row.account_id, keyId: row.key_id }
      const result = await commits.run(close(facts))
      count += result.at(-1)?.changes ?? 0
    }
  }
}
