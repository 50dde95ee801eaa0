import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findImbalances } from '../../src/ledger/audit/conservation.ts'
import { settleShapes } from '../../src/ledger/journal/settle-record.ts'
import type { Engine } from '../../src/store/engine.ts'
import { MemoryDatabase } from '../support/ledger/memory-database.ts'
import { patience } from '../support/patience.ts'
import { repeats } from '../support/repeats.ts'
import { engineFixtures } from '../support/store/engine-fixture.ts'
import { AccountModel } from './account-model.ts'
import { checkEnd } from './check-end.ts'
import { LedgerWorld } from './ledger-world.ts'
import { anyStep, type Step } from './steps.ts'

const stepsMax = 100
const timeoutMs = patience(300_000)

/** Most sequences run in memory, where a step takes microseconds, the others on the engines of production. */
const sequences = {
  memory: repeats(110, 220),
  sqlite: repeats(11, 22),
  postgres: repeats(4, 8),
}

/** With this variable the test runs fixed sequences and only finds out whether one of them fails. */
const fewSequences = Number(process.env['TEST_MODEL_SEQUENCES'] ?? 0)
const fixed = fewSequences > 0 ? { numRuns: fewSequences, seed: 1, endOnFailure: true } : {}

/** L1 after every step. */
function checked(step: Step, findWrong: () => Promise<readonly unknown[]>): Step {
  return {
    check: (model) => step.check(model),
    run: async (model, world) => {
      await step.run(model, world)
      expect(await findWrong()).toEqual([])
    },
    toString: () => step.toString(),
  }
}

async function checkSequences(
  engine: Engine,
  numRuns: number,
  findWrong: () => Promise<readonly unknown[]>,
): Promise<void> {
  const steps = fc.commands([anyStep.map((step) => checked(step, findWrong))], {
    maxCommands: stepsMax,
    size: 'max',
  })
  const quotas = fc.option(fc.bigInt(0n, 500n), { nil: undefined })
  const limit = fc.bigInt(0n, 300n)
  const budgets = fc.record(
    { keyDay: limit, memberDay: limit, accountDay: limit, accountTotal: limit },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(quotas, budgets, steps, async (quotaNano, limits, commands) => {
      const world = new LedgerWorld(engine)
      const model = new AccountModel()
      try {
        await fc.asyncModelRun(async () => {
          await world.open(quotaNano, limits)
          model.setBudgets(limits)
          model.quotaNano = quotaNano
          model.creditNano = 300n
          await world.topUp(-1, 300n)
          return { model, real: world }
        }, commands)
        await checkEnd(model, world)
      } finally {
        // A failed sequence must not continue in the database of the next one.
        world.kill()
      }
    }),
    { numRuns, ...fixed },
  )
}

describe('any sequence of steps leaves the ledger as the integer model says', () => {
  test(
    'in memory',
    async () => {
      const database = await MemoryDatabase.open()
      await checkSequences(database.connect(), sequences.memory, async () => database.imbalances())
    },
    timeoutMs,
  )

  for (const fixture of engineFixtures('ledger model')) {
    test(
      `on ${fixture.kind}`,
      async () => {
        const engine = await fixture.openMigrated()
        await engine.defineShapes(settleShapes)
        await checkSequences(engine, sequences[fixture.kind], () => findImbalances(engine))
      },
      timeoutMs,
    )
  }
})
