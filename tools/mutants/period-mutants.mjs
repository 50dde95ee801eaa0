import {
  budgetTerms,
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
      file: budgetTerms,
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
    ...marginMutants(),
  ]
}

/**
 * Mistakes with the last millisecond of a period, and with what a process remembers of limits.
 * @returns {import('./mutated-files.mjs').Mutant[]}
 */
function marginMutants() {
  return [
    {
      name: 'a period contains its end',
      file: budgetTerms,
      find: 'databaseMs < this.endsAtMs',
      replace: 'databaseMs <= this.endsAtMs',
      proof: 'terms',
    },
    {
      name: 'money of a period is free at its end',
      file: leasePool,
      find: 'return this.hasEnded(validSinceMs) ? 0n : this.freeUnder',
      replace: 'return this.freeUnder',
      proof: 'terms',
    },
    {
      name: 'the terms of a period that a clock returns to have former limits',
      file: leasePool,
      find: 'known?.takeOver(this.rules, databaseMs) === true ? known : terms',
      replace: 'known ?? terms',
      proof: 'terms',
    },
    {
      name: 'a request is refused at the moment of a reset',
      file: leaseGrants,
      find: 'else if (terms.contains(answer.databaseMs)) return false',
      replace: 'else return false',
      proof: 'grants',
    },
    {
      name: 'limits that changed during the query count as stored',
      file: leaseGrants,
      find: 'if (isConfirmed && !isFormer && terms.rules === rules)',
      replace: 'if (isConfirmed && !isFormer)',
      proof: 'grants',
    },
    {
      name: 'the clock of the database is measured after the answer',
      file: leaseGrants,
      find: 'terms.measure(renewedMs, answer.databaseMs)',
      replace: 'terms.measure(this.#time.nowMs(), answer.databaseMs)',
      proof: 'grants',
    },
    {
      name: 'the limits of one owner of a key apply to another',
      file: leaseGrants,
      find: "function nameOf({ keyId, userId = '' }: LeasePool)",
      replace: "function nameOf({ keyId }: LeasePool, userId = '')",
      proof: 'grants',
    },
    {
      name: 'a change during a read of limits is missed',
      file: 'src/ledger/budgets/follow-rules.ts',
      find: '      this.#changed.add(pool)\n      this.#deps.onError',
      replace: '      this.#deps.onError',
      proof: 'grants',
    },
    {
      name: 'spending just before a limit was set is not counted',
      file: 'src/core/limits/budget.ts',
      find: 'setAtMs > startMs - marginMs',
      replace: 'setAtMs > startMs',
      proof: 'calendar',
    },
    {
      name: 'a key with a spent budget collects the money of other keys',
      file: 'src/ledger/leases/short-funds.ts',
      find: 'const wantedNano = smallerOf(amountNano, possibleNano)',
      replace: 'const wantedNano = amountNano',
      proof: 'collecting',
    },
    {
      name: 'leases of other keys are collected for a short key',
      file: 'src/ledger/leases/short-funds.ts',
      find: 'isKeyShort && pool.keyId === keyId',
      replace: 'isKeyShort',
      proof: 'collecting',
    },
  ]
}
