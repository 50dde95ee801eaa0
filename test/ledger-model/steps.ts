import { expect } from 'bun:test'
import fc from 'fast-check'
import { reclaimLeases } from '../../src/ledger/leases/close-leases.ts'
import {
  type AccountModel,
  budgetNames,
  costOf,
  type KeyName,
  type ModelHold,
} from './account-model.ts'
import type { LedgerWorld } from './ledger-world.ts'

export type Step = fc.AsyncCommand<AccountModel, LedgerWorld>

/** One kind of step: when it is possible, and its effect on the model and on the world. */
function step<T>(
  name: string,
  values: fc.Arbitrary<T>,
  isPossible: (model: AccountModel) => boolean,
  run: (value: T, model: AccountModel, world: LedgerWorld) => Promise<void>,
): fc.Arbitrary<Step> {
  return values.map((value) => ({
    check: isPossible,
    run: (model, world) => run(value, model, world),
    toString: () => `${name}(${fc.stringify(value)})`,
  }))
}

const isRunning = (model: AccountModel): boolean => model.isRunning
const hasHolds = (model: AccountModel): boolean => model.isRunning && model.holds.length > 0
const always = (): boolean => true
const nothing = fc.constant(undefined)
const keys = fc.constantFrom<KeyName[]>('limited', 'free')
const tokens = fc.nat({ max: 60 })
const someTokens = fc.integer({ min: 1, max: 60 })
const place = fc.nat({ max: 20 })

function holdAt(model: AccountModel, at: number): ModelHold {
  const hold = model.holds[at % model.holds.length]
  if (!hold) throw new Error('there is no hold')
  return hold
}

const admit = step(
  'admit',
  fc.record({ keyId: keys, tokens: someTokens }),
  isRunning,
  async (step, model, world) => {
    const { terms } = model
    const heldNano = costOf(terms, step.tokens)
    const recoveryNano = heldNano / 3n
    const day = world.databaseDay
    const expected = model.verdictOn(step.keyId, day, heldNano)
    const requestId = await world.admit(step.keyId, heldNano, recoveryNano, terms)
    if (expected !== undefined)
      expect({ isAdmitted: requestId !== undefined }).toEqual({ isAdmitted: expected })
    if (requestId === undefined) return
    const { keyId } = step
    model.holds.push({ requestId, keyId, day, heldNano, recoveryNano, terms, isLate: false })
  },
)

const extend = step(
  'extend',
  fc.record({ place, tokens: someTokens }),
  hasHolds,
  async (step, model, world) => {
    const hold = holdAt(model, step.place)
    const moreNano = costOf(model.terms, step.tokens)
    const expected = model.verdictOn(hold.keyId, hold.day, moreNano)
    const isExtended = await world.extend(hold.requestId, moreNano)
    if (expected !== undefined) expect({ isExtended }).toEqual({ isExtended: expected })
    if (isExtended) hold.heldNano += moreNano
  },
)

const settle = step(
  'settle',
  fc.record({
    place,
    tokens,
    isSoon: fc.boolean(),
    isOverage: fc.integer({ min: 0, max: 9 }).map((digit) => digit === 9),
  }),
  hasHolds,
  async (end, model, world) => {
    const hold = holdAt(model, end.place)
    const { nanoPerToken, factorMicro } = hold.terms
    const coveredTokens = Number((hold.heldNano * 1_000_000n) / (nanoPerToken * factorMicro))
    const used = end.isOverage ? end.tokens : Math.min(end.tokens, coveredTokens)
    const costNano = costOf(hold.terms, used)
    const excessNano = costNano - hold.heldNano
    const expected = excessNano > 0n ? model.verdictOn(hold.keyId, hold.day, excessNano) : true
    const ended = await world.settle(hold.requestId, used, end.isSoon)
    expect(ended.costNano).toBe(costNano)
    expect(ended.grantedNano).toBeGreaterThanOrEqual(hold.heldNano)
    // The upstream has reported more than its model can use: the excess is charged only if there is money.
    const isCovered = ended.grantedNano >= costNano
    if (expected !== undefined) expect({ isCovered }).toEqual({ isCovered: expected })
    hold.heldNano = ended.grantedNano
    model.end(hold, costNano)
  },
)

const ship = step('ship', nothing, isRunning, (_, __, world) => world.process.ledger.shipped())

/** Applies earlier records again: in order, in reverse order, or one by one. */
const duplicate = step('duplicate', fc.nat({ max: 8 }), always, async (count, _, world) => {
  const again = world.records.slice(-count || world.records.length)
  await world.engine.applyRecords([JSON.stringify(again.toReversed()), JSON.stringify(again)])
  for (const record of again) await world.engine.applyRecords([JSON.stringify([record])])
})

const reorder = step('reorder', nothing, always, async (_, __, world) => {
  world.isReordering = !world.isReordering
})

const recall = step('recall', nothing, isRunning, async (_, model, world) => {
  model.hearQuota()
  model.hearBudgets()
  world.process.ledger.apply([{ seq: 1, topic: 'recall', subject: 'a' }])
})

const topUp = step(
  'topUp',
  fc.record({ number: fc.nat({ max: 12 }), nano: fc.bigInt(0n, 400n) }),
  always,
  async ({ number, nano }, model, world) => {
    expect(await world.topUp(number, nano)).toBe(!model.topUps.has(number))
    if (!model.topUps.has(number)) model.creditNano += nano
    model.topUps.add(number)
  },
)

/**
 * An operator takes money back, but never spent or held money, whatever the leases have. The spending of a dead process
 * from a reclaimed lease is known only after its restart, and is charged late.
 */
const takeBack = step('takeBack', fc.bigInt(1n, 200n), isRunning, async (nano, model, world) => {
  model.corrections += 1
  if (!(await world.takeBack(-1 - model.corrections, nano))) return
  model.creditNano -= nano
  if (model.lateNano === 0n) expect(await world.availableNano()).toBeGreaterThanOrEqual(0n)
  expect(model.creditNano + model.lateNano).toBeGreaterThanOrEqual(model.spentInAllNano)
})

const editQuota = step(
  'editQuota',
  fc.record({
    quotaNano: fc.option(fc.bigInt(0n, 500n), { nil: undefined }),
    isHeard: fc.boolean(),
  }),
  always,
  async ({ quotaNano, isHeard }, model, world) => {
    await world.setQuota(quotaNano)
    if (isHeard && model.isRunning) {
      world.process.ledger.apply([{ seq: 1, topic: 'key', subject: 'limited' }])
    }
    model.quotaNano = quotaNano
    model.isQuotaEdited = true
    model.isQuotaUnheard = model.isRunning
    if (isHeard) model.hearQuota()
  },
)

/** Limits change, but none is added or removed: the model does not count spending from before a limit was set. */
const editBudgets = step(
  'editBudgets',
  fc.record({
    nano: fc.bigInt(0n, 400n),
    name: fc.constantFrom(...budgetNames),
    isHeard: fc.boolean(),
  }),
  always,
  async ({ nano, name, isHeard }, model, world) => {
    if (model.budgets[name] === undefined) return
    model.setBudgets({ ...model.budgets, [name]: nano })
    await world.setBudgets(model.budgets)
    if (isHeard && model.isRunning)
      world.process.ledger.apply([{ seq: 1, topic: 'account', subject: 'a' }])
    model.isBudgetUnheard = model.isRunning
    if (isHeard) model.hearBudgets()
  },
)

const changePrice = step(
  'changePrice',
  fc.record({
    nanoPerToken: fc.bigInt(1n, 4n),
    factorMicro: fc.constantFrom(1_000_000n, 1_500_000n, 333_333n),
  }),
  always,
  async (terms, model) => {
    model.terms = terms
  },
)

/** The last one ends just before the end of the next day. */
const minutes = fc.constantFrom(0.01, 0.2, 1.1, 4, 6, 51, 24 * 60 - 6)

const jump = step(
  'jump',
  fc.record({ minutes, ticks: fc.nat({ max: 2 }) }),
  always,
  async (by, model, world) => {
    await world.jump(by.minutes * 60_000)
    for (let tick = 0; tick < by.ticks && model.isRunning; tick += 1) world.process.tick()
  },
)

/** All settlements are shipped long before a lease counts as abandoned. */
const reclaim = step('reclaim', fc.boolean(), always, async (isAfterLong, model, world) => {
  if (isAfterLong) await world.jump(51 * 60_000)
  if (model.isRunning) await world.process.ledger.shipped()
  const count = await reclaimLeases(world.engine)
  if (count === 0) return
  for (const hold of model.holds) hold.isLate = true
})

/** A clean stop, with or without running requests. */
const close = step('close', nothing, isRunning, async (_, model, world) => {
  await world.process.ledger.close()
  if (model.holds.length === 0) {
    expect(await world.engine.db.selectFrom('lease').select('id').execute()).toEqual([])
    expect(world.disk.names).toEqual([])
  }
  world.kill()
  model.isRunning = false
})

const crash = step('crash', fc.boolean(), isRunning, async (isTorn, model, world) => {
  world.kill()
  if (isTorn) world.disk.tear('S[["settle-1","torn"')
  model.isRunning = false
})

const restart = step(
  'restart',
  nothing,
  (model) => !model.isRunning,
  async (_, model, world) => {
    await world.start()
    model.interrupt()
    model.isQuotaUnheard = false
    model.isBudgetUnheard = false
    model.isRunning = true
  },
)

export const anyStep = fc.oneof(
  { weight: 24, arbitrary: admit },
  { weight: 8, arbitrary: extend },
  { weight: 20, arbitrary: settle },
  { weight: 3, arbitrary: ship },
  { weight: 3, arbitrary: duplicate },
  { weight: 2, arbitrary: reorder },
  { weight: 3, arbitrary: recall },
  { weight: 6, arbitrary: topUp },
  { weight: 3, arbitrary: takeBack },
  { weight: 3, arbitrary: editQuota },
  { weight: 3, arbitrary: editBudgets },
  { weight: 3, arbitrary: changePrice },
  { weight: 5, arbitrary: jump },
  { weight: 4, arbitrary: reclaim },
  { weight: 1, arbitrary: close },
  { weight: 2, arbitrary: crash },
  { weight: 8, arbitrary: restart },
)
