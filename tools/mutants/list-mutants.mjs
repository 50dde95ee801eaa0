/**
 * @typedef {object} Mutant
 * @property {string} name what is wrong with it
 * @property {string} file
 * @property {string} find occurs once in the file
 * @property {string} replace
 * @property {keyof typeof proofs} proof the tests that must fail
 */

/** Quick tests, each of which must detect a mutant on its own. */
export const proofs = {
  cost: ['test/unit/core/price.test.ts', 'test/unit/core/scale-cost.test.ts'],
  units: ['test/store/ledger.test.ts', '-t', 'ledger units on sqlite'],
  reclaim: ['test/store/ledger.test.ts', '-t', 'leases on sqlite a lease whose time is over'],
  epochs: ['test/store/epochs.test.ts', '-t', 'on sqlite'],
  alive: ['test/store/ledger.test.ts', '-t', 'leases on sqlite a process of another name'],
  pool: ['test/unit/ledger/give-back.test.ts'],
  trouble: ['test/store/database-trouble.test.ts', '-t', 'full disk of SQLite|set aside on sqlite'],
  restore: ['test/store/restored.test.ts', '-t', 'on sqlite'],
  model: ['test/ledger-model/ledger-model.test.ts', '-t', 'in memory'],
}

const price = 'src/core/price.ts'
const scaleCost = 'src/core/scale-cost.ts'
const leaseUnits = 'src/ledger/leases/lease-units.ts'
const settleRecord = 'src/ledger/journal/settle-record.ts'
const leasePool = 'src/ledger/leases/lease-pool.ts'
const leaseHold = 'src/ledger/leases/lease-hold.ts'
const giveBack = 'src/ledger/leases/give-back.ts'
const recover = 'src/ledger/journal/recover.ts'
const replica = 'src/ledger/replica.ts'
const closeLeases = 'src/ledger/leases/close-leases.ts'

/**
 * Each mutant is one small mistake with money. A test suite that does not detect it proves nothing about money.
 * @returns {Mutant[]}
 */
export function listMutants() {
  return [...costMutants(), ...unitMutants(), ...modelMutants()]
}

/** @returns {Mutant[]} */
function costMutants() {
  return [
    {
      name: 'tokens read from a cache are free',
      file: price,
      find: '    numberPart(usage.cacheRead, price.cacheReadNano) +\n',
      replace: '',
      proof: 'cost',
    },
    {
      name: 'the price of a request is forgotten where amounts are large',
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
      name: 'the most expensive input token is not the most expensive',
      file: price,
      find: 'if (price.cacheWrite1hNano > highest)',
      replace: 'if (price.cacheWrite1hNano < highest)',
      proof: 'cost',
    },
    {
      name: 'the smallest part is rounded down',
      file: scaleCost,
      find: 'fraction > 0 || rest > 0 ? 1 : 0',
      replace: 'fraction > 0 ? 1 : 0',
      proof: 'cost',
    },
    {
      name: 'every cost is rounded up, also a whole one',
      file: scaleCost,
      find: 'fraction > 0 || rest > 0 ? 1 : 0',
      replace: '1',
      proof: 'cost',
    },
  ]
}

/** @returns {Mutant[]} */
function unitMutants() {
  return [
    {
      name: 'an owner whose epoch is over is granted leases',
      file: leaseUnits,
      find: 'r.id = ? AND r.epoch = ?',
      replace: 'r.id = ? AND r.epoch >= ?',
      proof: 'units',
    },
    {
      name: 'a grant told twice takes from the account twice',
      file: leaseUnits,
      find: "{ sql: takeFromAccount, values: [leaseId, accountId], when: [[0, 'changed']] }",
      replace: '{ sql: takeFromAccount, values: [leaseId, accountId] }',
      proof: 'units',
    },
    {
      name: 'a lease is granted beyond what is there',
      file: leaseUnits,
      find: 'WHERE rest_nano >= CAST(? AS BIGINT)',
      replace: 'WHERE rest_nano + 1 >= CAST(? AS BIGINT)',
      proof: 'units',
    },
    {
      name: 'a shrink told twice gives back twice',
      file: leaseUnits,
      find: 'AND version = ? AND granted_nano = ?',
      replace: 'AND version >= ? AND granted_nano <= ?',
      proof: 'units',
    },
    {
      name: 'a lease that is closed stays',
      file: leaseUnits,
      find: "'DELETE FROM lease WHERE id = ?'",
      replace: "'DELETE FROM lease WHERE id = ? AND granted_nano < 0'",
      proof: 'units',
    },
    {
      name: 'a lease is reclaimed before its time',
      file: closeLeases,
      find: ".where('reclaim_at', '<', databaseNow",
      replace: ".where('reclaim_at', '>', databaseNow",
      proof: 'reclaim',
    },
    {
      name: 'a lease that was granted once more gives back what it never had',
      file: leaseUnits,
      find: 'AND version = ? AND granted_nano = ?',
      replace: 'AND version = ? AND granted_nano <= ?',
      proof: 'epochs',
    },
    {
      name: 'recovery gives the money of a key back before its debts',
      file: closeLeases,
      find: 'if (pool && isSame) pool.push(row)',
      replace: 'if (pool && isSame && pool.length < 1) pool.push(row)',
      proof: 'epochs',
    },
    {
      name: 'a lease that was renewed meanwhile is reclaimed',
      file: leaseUnits,
      find: 'WHERE id = ? AND reclaim_at < ',
      replace: 'WHERE id = ? AND reclaim_at <> ',
      proof: 'epochs',
    },
    {
      name: 'the late word of an earlier life ends the next',
      file: replica,
      find: "(eb) => ({ epoch: eb('epoch', '+', 1), seen_at: databaseNow(engine) }))\n    .where('id', '=', owner.replica)\n    .where('epoch', '=', owner.epoch)",
      replace:
        "(eb) => ({ epoch: eb('epoch', '+', 1), seen_at: databaseNow(engine) }))\n    .where('id', '=', owner.replica)",
      proof: 'epochs',
    },
    {
      name: 'a process that is only silent is recovered',
      file: recover,
      find: '    if (!lock) continue\n',
      replace: '',
      proof: 'alive',
    },
  ]
}

/** @returns {Mutant[]} */
function modelMutants() {
  return [
    {
      name: 'an entry that is there already costs again',
      file: 'src/store/sqlite/record-shapes.ts',
      find: 'if (applyRecord(shape, record) === 0) continue',
      replace: 'if (applyRecord(shape, record) < 0) continue',
      proof: 'model',
    },
    {
      name: 'the account pays for a lease and again for its use',
      file: settleRecord,
      find: "from: [1, 4],\n      when: [[0, 'unchanged']],",
      replace: 'from: [1, 4],',
      proof: 'model',
    },
    {
      name: 'a request is charged more than was set aside for it',
      file: leaseHold,
      find: 'if (costNano <= grantedNano) return settlement',
      replace: 'if (costNano <= grantedNano + 1_000n) return settlement',
      proof: 'model',
    },
    {
      name: 'a late settlement is not counted as spent',
      file: settleRecord,
      find: 'spent_nano = spent_nano + ?',
      replace: 'spent_nano = spent_nano + 0 * ?',
      proof: 'model',
    },
    {
      name: 'a closed lease does not tell its key what was spent',
      file: leaseUnits,
      find: 'spent_nano = spent_nano + (SELECT used_nano FROM lease WHERE id = ?)',
      replace: 'spent_nano = spent_nano + 0 * (SELECT used_nano FROM lease WHERE id = ?)',
      proof: 'model',
    },
    {
      name: 'a hold is given without the money for it',
      file: leasePool,
      find: 'if (freeNano < amountNano) return false',
      replace: 'if (freeNano < 0n) return false',
      proof: 'model',
    },
    {
      name: 'a settled request gives its whole hold back',
      file: leasePool,
      find: '    lease.usedNano += costNano\n',
      replace: '    lease.usedNano += 0n * costNano\n',
      proof: 'model',
    },
    {
      name: 'the money of leases that were taken for abandoned still counts',
      file: leasePool,
      find: 'ofLeaseNano < 0n || isSure(lease, validSinceMs)',
      replace: 'ofLeaseNano < 0n || validSinceMs < Number.MAX_VALUE',
      proof: 'pool',
    },
    {
      name: 'a debt goes home without the money that pays for it',
      file: giveBack,
      find: 'pool.freeNano(validSinceMs) - beforeNano',
      replace: 'beforeNano - pool.freeNano(validSinceMs)',
      proof: 'pool',
    },
    {
      name: 'what is held on a lease that is gone needs no cover',
      file: leasePool,
      find: 'return lease.isGone ? 0n : lease.grantedNano - lease.usedNano',
      replace: 'return lease.isGone ? lease.heldNano : lease.grantedNano - lease.usedNano',
      proof: 'pool',
    },
    {
      name: 'money goes home that covers a debt',
      file: giveBack,
      find: 'restOf(lease) > 0n && freeOf(kept, validSinceMs) < 0n',
      replace: 'pool.heldNano > 0n && freeOf(kept, validSinceMs) < 0n',
      proof: 'pool',
    },
    {
      name: 'a lease is closed before the database knows what it has used',
      file: giveBack,
      find: 'lease.holds === 0 && lease.unshipped === 0',
      replace: 'lease.holds === 0',
      proof: 'model',
    },
    {
      name: 'recovery takes what was settled for interrupted',
      file: recover,
      find: "linesOf(disk.read(folder, name), 'S')",
      replace: "linesOf(disk.read(folder, name), 'S').slice(1)",
      proof: 'model',
    },
    {
      name: 'a charge is set aside because the database is away for a while',
      file: 'src/ledger/journal/apply-or-set-aside.ts',
      find: 'if (error instanceof RefusedStoreError) return false',
      replace: 'if (error instanceof Error) return false',
      proof: 'trouble',
    },
    {
      name: 'a restored database gives out an epoch that has a journal',
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
      name: 'a top-up told twice is granted twice',
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
