/**
 * @typedef {object} Mutant
 * @property {string} name the mistake
 * @property {string} file
 * @property {string} find occurs once in the file
 * @property {string} replace
 * @property {keyof typeof import('./proofs.mjs').proofs} proof the tests that must fail
 */

export const budgetTerms = 'src/ledger/budgets/budget-terms.ts'
export const price = 'src/core/money/price.ts'
export const scaleCost = 'src/core/money/scale-cost.ts'
export const recover = 'src/ledger/journal/recover.ts'
export const settleRecord = 'src/ledger/journal/settle-record.ts'
export const closeLeases = 'src/ledger/leases/close-leases.ts'
export const giveBack = 'src/ledger/leases/give-back.ts'
export const leaseGrants = 'src/ledger/leases/lease-grants.ts'
export const leaseHold = 'src/ledger/leases/lease-hold.ts'
export const leasePool = 'src/ledger/leases/lease-pool.ts'
export const leaseUnits = 'src/ledger/leases/lease-units.ts'
export const replica = 'src/ledger/replica.ts'
