import { settleRecord, settleShape } from '../../src/ledger/journal/settle-record.ts'
import type { HoldRequest, Settlement } from '../../src/ledger/ledger.ts'
import type { GroupCommit } from '../../src/store/units/group-commit.ts'
import { fill, fillTally, type Shape, type ShapedRecord } from '../../src/store/units/shape.ts'
import type { SqlStatement } from '../../src/store/units/sql-statement.ts'
import { TallySums } from '../../src/store/units/tally-sums.ts'
import { usageShapes } from '../../src/usage/usage-shapes.ts'
import type { BenchLedger } from './drive.ts'

/*
 * The design before leases and the journal: each hold and each settlement is a conditional update in the database, and
 * an answer waits for both. As in that design, many requests share a commit.
 */

const insertHold = `INSERT INTO lease
  (id, replica, epoch, account_id, key_id, granted_nano, used_nano, version, created_at, reclaim_at)
  SELECT CAST(? AS TEXT), 'bench', 1, a.id, k.id, CAST(? AS BIGINT), 0, 1, CAST(? AS BIGINT), CAST(? AS BIGINT)
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.id = ? AND a.id = ? AND a.available_nano >= CAST(? AS BIGINT)
    AND (k.available_nano IS NULL OR k.available_nano >= CAST(? AS BIGINT))
  ON CONFLICT (id) DO NOTHING`
const moveAccount = 'UPDATE account SET available_nano = available_nano + ? WHERE id = ?'
const moveKey =
  'UPDATE api_key SET available_nano = available_nano + ?, spent_nano = spent_nano + ? WHERE id = ?'
const deleteHold = 'DELETE FROM lease WHERE id = ?'

const ifFirstChanged = [[0, 'changed'] as const]

export function openSimpleLedger(commits: GroupCommit): BenchLedger {
  return {
    reserve: async (request) => {
      const results = await commits.run({
        locks: { keyId: request.keyId, accountId: request.accountId },
        statements: holdStatements(request),
      })
      if ((results[0]?.changes ?? 0) === 0)
        throw new Error('the accounts of the benchmark have no money left')
      return {
        admitted: Promise.resolve(),
        settleSoon: async (settlement, alongside) => {
          await commits.run({
            locks: { keyId: request.keyId, accountId: request.accountId },
            statements: settleStatements(request, settlement, alongside),
          })
        },
      }
    },
    shipped: () => commits.settled(),
  }
}

function holdStatements({
  requestId,
  keyId,
  accountId,
  amountNano,
  recovery,
}: HoldRequest): SqlStatement[] {
  const { at } = recovery
  const facts = [requestId, amountNano, at, at, keyId, accountId, amountNano, amountNano]
  return [
    { sql: insertHold, values: facts },
    { sql: moveAccount, values: [-amountNano, accountId], when: ifFirstChanged },
    { sql: moveKey, values: [-amountNano, 0n, keyId], when: ifFirstChanged },
  ]
}

function settleStatements(
  request: HoldRequest,
  settlement: Settlement,
  alongside: readonly ShapedRecord[],
): SqlStatement[] {
  const { requestId, keyId, accountId } = request
  const entry = settleRecord({ requestId, keyId, accountId, leaseId: requestId }, settlement)
  const restNano = request.amountNano - settlement.costNano
  return [
    ...rowStatements(settleShape, entry),
    { sql: deleteHold, values: [requestId], when: ifFirstChanged },
    { sql: moveAccount, values: [restNano, accountId], when: ifFirstChanged },
    { sql: moveKey, values: [restNano, settlement.costNano, keyId], when: ifFirstChanged },
    ...alongside.flatMap(logStatements),
  ]
}

function rowStatements({ statements }: Shape, record: ShapedRecord): SqlStatement[] {
  return statements.map((statement) => ({
    sql: statement.sql,
    values: fill(statement, record),
  }))
}

/** The log row, and its share of the hourly sums. */
function logStatements(record: ShapedRecord): SqlStatement[] {
  const shape = usageShapes.find(({ name }) => name === record[0])
  if (!shape) throw new Error(`there is no shape ${record[0]}`)
  const added = (shape.tallies ?? []).flatMap((tally) => {
    const sums = new TallySums(tally)
    sums.add(record)
    return [...sums.values()].flatMap((values) =>
      tally.statements.map(({ sql, ...each }) => ({
        sql,
        values: fillTally({ sql, ...each }, values),
      })),
    )
  })
  return [...rowStatements(shape, record), ...added]
}
