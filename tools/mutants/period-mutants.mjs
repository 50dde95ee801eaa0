import {
  closeLeases,
  giveBack,
  leaseGrants,
  leaseHold,
  leasePool,
  leaseUnits,
} from './mutated-files.mjs'

/**
 * Mistakes with the period or the member that a request is charged to.
 * @returns {import('./mutated-files.mjs').Mutant[]}
 */
export function periodMutants() {
  return [
    {
      name: 'a request is charged to the period in which it ends',
      file: leaseHold,
      find: 'const { id: leaseId, terms } = this.#lease\n',
      replace: 'const { id: leaseId } = this.#lease\n    const { terms } = this.#pool\n',
      proof: 'budgets',
    },
    {
      name: 'what is left of a lease returns to the present period',
      file: giveBack,
      find: 'factsOf({ accountId, keyId }: LeasePool, { id, terms }: PooledLease)',
      replace: 'factsOf({ accountId, keyId, terms }: LeasePool, { id }: PooledLease)',
      proof: 'budgets',
    },
    {
      name: 'what is left of an abandoned lease returns to no budget',
      file: closeLeases,
      find: 'budgetSet: row.budget_set,',
      replace: 'budgetSet: null,',
      proof: 'budgets',
    },
    {
      name: 'the database grants money of a period that has ended',
      file: leaseUnits,
      find: 'Sql} < CAST(? AS BIGINT)',
      replace: 'Sql} <> CAST(? AS BIGINT)',
      proof: 'budgets',
    },
    {
      name: 'the database grants money of a period that has not begun',
      file: leaseUnits,
      find: 'Sql} >= CAST(? AS BIGINT)',
      replace: 'Sql} <> CAST(? AS BIGINT)',
      proof: 'budgets',
    },
    {
      name: 'a lease outlives its period by the time of a question',
      file: 'src/ledger/budgets/budget-terms.ts',
      find: 'this.admitUntilMs = beforeMs + this.endsAtMs - databaseMs',
      replace: 'this.admitUntilMs = beforeMs + 1_000 + this.endsAtMs - databaseMs',
      proof: 'terms',
    },
    {
      name: 'a request in flight gets more money from the present period',
      file: leaseGrants,
      find: '(size.terms !== pool.terms || pool.hasEnded(validSinceMs))',
      replace: '(pool.leases.length < 0 && pool.hasEnded(validSinceMs))',
      proof: 'budgets',
    },
    {
      name: 'money of one period covers requests of another',
      file: leasePool,
      find: 'if (lease.terms === terms) freeNano += freeInLease',
      replace: "if (lease.terms.setId !== '' || lease.terms === terms) freeNano += freeInLease",
      proof: 'budgets',
    },
    {
      name: 'a request is charged to the member who owned the key before',
      file: 'src/ledger/leases/lease-pools.ts',
      find: 'if (pool.userId === userId) return pool',
      replace: 'if (pool.keyId === keyId) return pool',
      proof: 'members',
    },
  ]
}
