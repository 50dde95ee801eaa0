/** Quick tests, each of which must detect a mutant on its own. */
export const proofs = {
  cost: ['test/unit/core/price.test.ts', 'test/unit/core/scale-cost.test.ts'],
  units: ['test/store/ledger/ledger.test.ts', '-t', 'ledger units on sqlite'],
  reclaim: [
    'test/store/ledger/ledger.test.ts',
    '-t',
    'leases on sqlite any process can reclaim an expired lease',
  ],
  epochs: ['test/store/ledger/epochs.test.ts', '-t', 'on sqlite'],
  alive: ['test/store/ledger/ledger.test.ts', '-t', 'leases on sqlite a process with another name'],
  budgets: ['test/store/budgets/budgets.test.ts', '-t', 'sqlite'],
  members: ['test/store/budgets/member-budgets.test.ts', '-t', 'sqlite'],
  terms: ['test/unit/ledger/budget-terms.test.ts', 'test/unit/ledger/lease-pool.test.ts'],
  grants: ['test/unit/ledger/lease-grants.test.ts', 'test/unit/ledger/follow-rules.test.ts'],
  calendar: ['test/unit/core/budget.test.ts'],
  collecting: ['test/unit/ledger/short-funds.test.ts'],
  pool: ['test/unit/ledger/give-back.test.ts'],
  trouble: [
    'test/store/journal/database-trouble.test.ts',
    '-t',
    'full disk of SQLite|set aside on sqlite',
  ],
  restore: ['test/store/journal/restored.test.ts', '-t', 'on sqlite'],
  model: ['test/ledger-model/ledger-model.test.ts', '-t', 'in memory'],
}
