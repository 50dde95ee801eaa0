import {
  closeLeases,
  giveBack,
  leaseHold,
  leasePool,
  leaseUnits,
  price,
  recover,
  replica,
  scaleCost,
  settleRecord,
} from './mutated-files.mjs'
import { periodMutants } from './period-mutants.mjs'

/**
 * Each mutant is one small mistake with money. A test suite that does not detect it proves nothing about money.
 * @returns {import('./mutated-files.mjs').Mutant[]}
 */
export function listMutants() {
  return [...costMutants(), ...unitMutants(), ...periodMutants(), ...modelMutants()]
}

/**
 * The first mutant of each source file and of each proof. The others prove the same of the same tests once more, and
 * run in `npm run test:long` and `npm run mutants`.
 * @param {readonly import('./mutated-files.mjs').Mutant[]} mutants
 * @returns {import('./mutated-files.mjs').Mutant[]}
 */
export function chooseQuickMutants(mutants) {
  const seen = new Set()
  return mutants.filter(({ file, proof }) => {
    const isNew = !seen.has(file) || !seen.has(proof)
    seen.add(file).add(proof)
    return isNew
  })
}

/** @returns {import('./mutated-files.mjs').Mutant[]} */
function costMutants() {
  return [
    {
      name: 'cache read tokens are free',
      file: price,
      find: '    numberPart(usage.cacheRead, price.cacheReadNano) +\n',
      replace: '',
      proof: 'cost',
    },
    {
      name: 'the price per request is missing for large amounts',
      file: price,
      find: 'part(usage.output, price.outputNano) +\n    price.requestNano * million',
      replace: 'part(usage.output, price.outputNano)',
      proof: 'cost',
    },
    {
      name: 'large amounts are rounded down',
      file: price,
      find: '(scaled + unit - 1n) / unit',
      replace: 'scaled / unit',
      proof: 'cost',
    },
    {
      name: 'the most expensive kind of input token is not found',
      file: price,
      find: 'if (price.cacheWrite1hNano > highest)',
      replace: 'if (price.cacheWrite1hNano < highest)',
      proof: 'cost',
    },
    {
      name: 'the smallest fraction is rounded down',
      file: scaleCost,
      find: 'fraction > 0 || rest > 0 ? 1 : 0',
      replace: 'fraction > 0 ? 1 : 0',
      proof: 'cost',
    },
    {
      name: 'a whole cost is rounded up too',
      file: scaleCost,
      find: 'fraction > 0 || rest > 0 ? 1 : 0',
      replace: '1',
      proof: 'cost',
    },
  ]
}

/** @returns {import('./mutated-files.mjs').Mutant[]} */
function unitMutants() {
  return [
    {
      name: 'a replica with an old epoch gets leases',
      file: leaseUnits,
      find: 'r.id = ? AND r.epoch = ?',
      replace: 'r.id = ? AND r.epoch >= ?',
      proof: 'units',
    },
    {
      name: 'a repeated grant takes from the account twice',
      file: leaseUnits,
      find: '{ sql: takeFromAccount, values: [leaseId, accountId], when }',
      replace: '{ sql: takeFromAccount, values: [leaseId, accountId] }',
      proof: 'units',
    },
    {
      name: 'a grant takes nothing from the budgets',
      file: leaseUnits,
      find: '...(hasCounters ? [fromCounters] : []),',
      replace: '...(hasCounters && least < 0n ? [fromCounters] : []),',
      proof: 'budgets',
    },
    {
      name: 'a grant ignores what is left of the budgets',
      file: leaseUnits,
      find: 'CASE WHEN budget_nano < funds_nano THEN budget_nano ELSE funds_nano END',
      replace: 'funds_nano',
      proof: 'budgets',
    },
    {
      name: 'a lease of a budget is used after the end of its period',
      file: leasePool,
      find: 'validSinceMs + leaseTimes.admitMs >= this.terms.admitUntilMs',
      replace: 'validSinceMs >= this.terms.admitUntilMs + leaseTimes.admitMs * 1e9',
      proof: 'budgets',
    },
    {
      name: 'a settlement is missing in the budgets',
      file: settleRecord,
      find: 'UPDATE budget_counter SET spent_nano = spent_nano + ? WHERE',
      replace: 'UPDATE budget_counter SET spent_nano = spent_nano + 0 * ? WHERE',
      proof: 'budgets',
    },
    {
      name: 'a lease is larger than the available money',
      file: leaseUnits,
      find: 'WHERE rest_nano >= CAST(? AS BIGINT)',
      replace: 'WHERE rest_nano + 1 >= CAST(? AS BIGINT)',
      proof: 'units',
    },
    {
      name: 'a repeated shrink returns money twice',
      file: leaseUnits,
      find: 'AND version = ? AND granted_nano = ?',
      replace: 'AND version >= ? AND granted_nano <= ?',
      proof: 'units',
    },
    {
      name: 'a closed lease is not deleted',
      file: leaseUnits,
      find: "'DELETE FROM lease WHERE id = ?'",
      replace: "'DELETE FROM lease WHERE id = ? AND granted_nano < 0'",
      proof: 'units',
    },
    {
      name: 'a lease is reclaimed before it expires',
      file: closeLeases,
      find: ".where('reclaim_at', '<', databaseNow",
      replace: ".where('reclaim_at', '>', databaseNow",
      proof: 'reclaim',
    },
    {
      name: 'a lease that was granted twice returns money that it never had',
      file: leaseUnits,
      find: 'AND version = ? AND granted_nano = ?',
      replace: 'AND version = ? AND granted_nano <= ?',
      proof: 'epochs',
    },
    {
      name: 'recovery returns the money of a key before its debts',
      file: closeLeases,
      find: 'if (pool && isSame) pool.push(row)',
      replace: 'if (pool && isSame && pool.length < 1) pool.push(row)',
      proof: 'epochs',
    },
    {
      name: 'a lease that was just renewed is reclaimed',
      file: leaseUnits,
      find: 'WHERE id = ? AND reclaim_at < ',
      replace: 'WHERE id = ? AND reclaim_at <> ',
      proof: 'epochs',
    },
    {
      name: 'a late message of an earlier life ends the next one',
      file: replica,
      find: "(eb) => ({ epoch: eb('epoch', '+', 1), seen_at: databaseNow(engine) }))\n    .where('id', '=', owner.replica)\n    .where('epoch', '=', owner.epoch)",
      replace:
        "(eb) => ({ epoch: eb('epoch', '+', 1), seen_at: databaseNow(engine) }))\n    .where('id', '=', owner.replica)",
      proof: 'epochs',
    },
    {
      name: 'a silent process that is alive is recovered',
      file: recover,
      find: '    if (!lock) continue\n',
      replace: '',
      proof: 'alive',
    },
  ]
}

/** @returns {import('./mutated-files.mjs').Mutant[]} */
function modelMutants() {
  return [
    {
      name: 'an existing entry is charged again',
      file: 'src/store/sqlite/record-shapes.ts',
      find: 'if (applyRecord(shape, record) === 0) continue',
      replace: 'if (applyRecord(shape, record) < 0) continue',
      proof: 'model',
    },
    {
      name: 'the account pays for a lease and again for its charges',
      file: settleRecord,
      find: "from: [1, 4],\n      when: [[0, 'unchanged']],",
      replace: 'from: [1, 4],',
      proof: 'model',
    },
    {
      name: 'a request is charged more than its hold',
      file: leaseHold,
      find: 'if (costNano <= grantedNano) return settlement',
      replace: 'if (costNano <= grantedNano + 1_000n) return settlement',
      proof: 'model',
    },
    {
      name: 'a late settlement is not counted as spent',
      file: settleRecord,
      find: 'available_nano = available_nano - ?, spent_nano = spent_nano + ?',
      replace: 'available_nano = available_nano - ?, spent_nano = spent_nano + 0 * ?',
      proof: 'model',
    },
    {
      name: 'the spending of a closed lease is missing in its key',
      file: leaseUnits,
      find: 'spent_nano = spent_nano + (SELECT used_nano FROM lease WHERE id = ?)',
      replace: 'spent_nano = spent_nano + 0 * (SELECT used_nano FROM lease WHERE id = ?)',
      proof: 'model',
    },
    {
      name: 'a hold is granted without money',
      file: leasePool,
      find: 'if (freeNano < amountNano) return false',
      replace: 'if (freeNano < 0n) return false',
      proof: 'model',
    },
    {
      name: 'a settled request returns its whole hold',
      file: leasePool,
      find: '    lease.usedNano += costNano\n',
      replace: '    lease.usedNano += 0n * costNano\n',
      proof: 'model',
    },
    {
      name: 'the money of abandoned leases still counts',
      file: leasePool,
      find: 'freeNano < 0n || isSure(lease, validSinceMs)',
      replace: 'freeNano < 0n || validSinceMs < Number.MAX_VALUE',
      proof: 'pool',
    },
    {
      name: 'a debt is returned without the money that covers it',
      file: giveBack,
      find: 'freeOf(group.leases, validSinceMs) - beforeNano',
      replace: 'beforeNano - freeOf(group.leases, validSinceMs)',
      proof: 'pool',
    },
    {
      name: 'holds of a deleted lease need no cover',
      file: leasePool,
      find: 'return lease.isGone ? 0n : lease.grantedNano - lease.usedNano',
      replace: 'return lease.isGone ? lease.heldNano : lease.grantedNano - lease.usedNano',
      proof: 'pool',
    },
    {
      name: 'money that covers a debt is returned',
      file: giveBack,
      find: 'restOf(lease) > 0n && freeOf(kept, validSinceMs) < 0n',
      replace: 'pool.heldNano > 0n && freeOf(kept, validSinceMs) < 0n',
      proof: 'pool',
    },
    {
      name: 'a lease is closed before its settlements are in the database',
      file: giveBack,
      find: 'lease.holds === 0 && lease.unshipped === 0',
      replace: 'lease.holds === 0',
      proof: 'model',
    },
    {
      name: 'recovery treats settled requests as interrupted',
      file: recover,
      find: "linesOf(disk.read(folder, name), 'S')",
      replace: "linesOf(disk.read(folder, name), 'S').slice(1)",
      proof: 'model',
    },
    {
      name: 'a charge is set aside because of a temporary database outage',
      file: 'src/ledger/journal/apply-or-set-aside.ts',
      find: 'if (error instanceof RefusedStoreError) return false',
      replace: 'if (error instanceof Error) return false',
      proof: 'trouble',
    },
    {
      name: 'after a restore, an epoch that has a journal is reused',
      file: 'src/ledger/journal/open-life.ts',
      find: 'takeEpoch(engine, replica, epochMax)',
      replace: 'takeEpoch(engine, replica, 0)',
      proof: 'restore',
    },
    {
      name: 'recovery charges up to the first checkpoint, not the last',
      file: recover,
      find: '.flatMap(readAdmitRecords).toReversed()',
      replace: '.flatMap(readAdmitRecords)',
      proof: 'restore',
    },
    {
      name: 'a repeated top-up is granted twice',
      file: 'src/ledger/credits.ts',
      find: '(inserted.numInsertedOrUpdatedRows ?? 0n) === 0n',
      replace: '(inserted.numInsertedOrUpdatedRows ?? 0n) < 0n',
      proof: 'model',
    },
    {
      name: 'a correction takes more than is available',
      file: 'src/ledger/credits.ts',
      find: "move.where('available_nano', '>=', -amountNano)",
      replace: "move.where('available_nano', '>=', amountNano)",
      proof: 'model',
    },
  ]
}
