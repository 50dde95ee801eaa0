import { expect } from 'bun:test'
import fc from 'fast-check'
import { reclaimLeases } from '../../src/ledger/leases/close-leases.ts'
import { type BookedHold, type Books, budgetNames, costOf, type KeyName } from './books.ts'
import type { LedgerWorld } from './ledger-world.ts'

export type Step = fc.AsyncCommand<Books, LedgerWorld>

/** One kind of step: when it is possible, and what it does to the books and to the world alike. */
function step<T>(
  name: string,
  values: fc.Arbitrary<T>,
  isPossible: (books: Books) => boolean,
  run: (value: T, books: Books, world: LedgerWorld) => Promise<void>,
): fc.Arbitrary<Step> {
  return values.map((value) => ({
    check: isPossible,
    run: (books, world) => run(value, books, world),
    toString: () => `${name}(${fc.stringify(value)})`,
  }))
}

const isRunning = (books: Books): boolean => books.isRunning
const hasHolds = (books: Books): boolean => books.isRunning && books.holds.length > 0
const always = (): boolean => true
const nothing = fc.constant(undefined)
const keys = fc.constantFrom<KeyName[]>('limited', 'free')
const tokens = fc.nat({ max: 60 })
const someTokens = fc.integer({ min: 1, max: 60 })
const place = fc.nat({ max: 20 })

function holdAt(books: Books, at: number): BookedHold {
  const hold = books.holds[at % books.holds.length]
  if (!hold) throw new Error('there is no hold')
  return hold
}

const admit = step(
  'admit',
  fc.record({ keyId: keys, tokens: someTokens }),
  isRunning,
  async (step, books, world) => {
    const { terms } = books
    const heldNano = costOf(terms, step.tokens)
    const recoveryNano = heldNano / 3n
    const day = world.databaseDay
    const expected = books.verdictOn(step.keyId, day, heldNano)
    const requestId = await world.admit(step.keyId, heldNano, recoveryNano, terms)
    if (expected !== undefined)
      expect({ isAdmitted: requestId !== undefined }).toEqual({ isAdmitted: expected })
    if (requestId === undefined) return
    const { keyId } = step
    books.holds.push({ requestId, keyId, day, heldNano, recoveryNano, terms, isLate: false })
  },
)

const extend = step(
  'extend',
  fc.record({ place, tokens: someTokens }),
  hasHolds,
  async (step, books, world) => {
    const hold = holdAt(books, step.place)
    const moreNano = costOf(books.terms, step.tokens)
    const expected = books.verdictOn(hold.keyId, hold.day, moreNano)
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
  async (end, books, world) => {
    const hold = holdAt(books, end.place)
    const { nanoPerToken, factorMicro } = hold.terms
    const coveredTokens = Number((hold.heldNano * 1_000_000n) / (nanoPerToken * factorMicro))
    const used = end.isOverage ? end.tokens : Math.min(end.tokens, coveredTokens)
    const costNano = costOf(hold.terms, used)
    const excessNano = costNano - hold.heldNano
    const expected = excessNano > 0n ? books.verdictOn(hold.keyId, hold.day, excessNano) : true
    const ended = await world.settle(hold.requestId, used, end.isSoon)
    expect(ended.costNano).toBe(costNano)
    expect(ended.grantedNano).toBeGreaterThanOrEqual(hold.heldNano)
    // The upstream has reported more than it may: it is paid for exactly when there is money.
    const isCovered = ended.grantedNano >= costNano
    if (expected !== undefined) expect({ isCovered }).toEqual({ isCovered: expected })
    hold.heldNano = ended.grantedNano
    books.end(hold, costNano)
  },
)

const ship = step('ship', nothing, isRunning, (_, __, world) => world.process.ledger.shipped())

/** What was applied before comes again: as it was, backwards, one by one. */
const duplicate = step('duplicate', fc.nat({ max: 8 }), always, async (count, _, world) => {
  const again = world.records.slice(-count || world.records.length)
  await world.engine.applyRecords([JSON.stringify(again.toReversed()), JSON.stringify(again)])
  for (const record of again) await world.engine.applyRecords([JSON.stringify([record])])
})

const reorder = step('reorder', nothing, always, async (_, __, world) => {
  world.isReordering = !world.isReordering
})

const recall = step('recall', nothing, isRunning, async (_, books, world) => {
  books.hearQuota()
  books.hearBudgets()
  world.process.ledger.apply([{ seq: 1, topic: 'recall', subject: 'a' }])
})

const topUp = step(
  'topUp',
  fc.record({ number: fc.nat({ max: 12 }), nano: fc.bigInt(0n, 400n) }),
  always,
  async ({ number, nano }, books, world) => {
    expect(await world.topUp(number, nano)).toBe(!books.topUps.has(number))
    if (!books.topUps.has(number)) books.creditNano += nano
    books.topUps.add(number)
  },
)

/**
 * An operator takes money back: never money that was spent or is held, whatever the leases have. What a dead process
 * has spent of a lease that was reclaimed is known only after its restart, and charged late.
 */
const takeBack = step('takeBack', fc.bigInt(1n, 200n), isRunning, async (nano, books, world) => {
  books.corrections += 1
  if (!(await world.takeBack(-1 - books.corrections, nano))) return
  books.creditNano -= nano
  if (books.lateNano === 0n) expect(await world.availableNano()).toBeGreaterThanOrEqual(0n)
  expect(books.creditNano + books.lateNano).toBeGreaterThanOrEqual(books.spentInAllNano)
})

const editQuota = step(
  'editQuota',
  fc.record({
    quotaNano: fc.option(fc.bigInt(0n, 500n), { nil: undefined }),
    isHeard: fc.boolean(),
  }),
  always,
  async ({ quotaNano, isHeard }, books, world) => {
    await world.setQuota(quotaNano)
    if (isHeard && books.isRunning) {
      world.process.ledger.apply([{ seq: 1, topic: 'key', subject: 'limited' }])
    }
    books.quotaNano = quotaNano
    books.isQuotaEdited = true
    books.isQuotaUnheard = books.isRunning
    if (isHeard) books.hearQuota()
  },
)

/** Limits change, but none appears or goes: what was spent before a limit is set does not count. */
const editBudgets = step(
  'editBudgets',
  fc.record({
    nano: fc.bigInt(0n, 400n),
    name: fc.constantFrom(...budgetNames),
    isHeard: fc.boolean(),
  }),
  always,
  async ({ nano, name, isHeard }, books, world) => {
    if (books.budgets[name] === undefined) return
    books.setBudgets({ ...books.budgets, [name]: nano })
    await world.setBudgets(books.budgets)
    if (isHeard && books.isRunning)
      world.process.ledger.apply([{ seq: 1, topic: 'account', subject: 'a' }])
    books.isBudgetUnheard = books.isRunning
    if (isHeard) books.hearBudgets()
  },
)

const changePrice = step(
  'changePrice',
  fc.record({
    nanoPerToken: fc.bigInt(1n, 4n),
    factorMicro: fc.constantFrom(1_000_000n, 1_500_000n, 333_333n),
  }),
  always,
  async (terms, books) => {
    books.terms = terms
  },
)

/** The last one leads to just before the end of the next day. */
const minutes = fc.constantFrom(0.01, 0.2, 1.1, 4, 6, 51, 24 * 60 - 6)

const jump = step(
  'jump',
  fc.record({ minutes, ticks: fc.nat({ max: 2 }) }),
  always,
  async (by, books, world) => {
    await world.jump(by.minutes * 60_000)
    for (let tick = 0; tick < by.ticks && books.isRunning; tick += 1) world.process.tick()
  },
)

/** What has been settled has been shipped long before a lease is taken for abandoned. */
const reclaim = step('reclaim', fc.boolean(), always, async (isAfterLong, books, world) => {
  if (isAfterLong) await world.jump(51 * 60_000)
  if (books.isRunning) await world.process.ledger.shipped()
  const count = await reclaimLeases(world.engine)
  if (count === 0) return
  for (const hold of books.holds) hold.isLate = true
})

/** A clean stop, whether or not requests are still under way. */
const close = step('close', nothing, isRunning, async (_, books, world) => {
  await world.process.ledger.close()
  if (books.holds.length === 0) {
    expect(await world.engine.db.selectFrom('lease').select('id').execute()).toEqual([])
    expect(world.disk.names).toEqual([])
  }
  world.kill()
  books.isRunning = false
})

const crash = step('crash', fc.boolean(), isRunning, async (isTorn, books, world) => {
  world.kill()
  if (isTorn) world.disk.tear('S[["settle-1","torn"')
  books.isRunning = false
})

const restart = step(
  'restart',
  nothing,
  (books) => !books.isRunning,
  async (_, books, world) => {
    await world.start()
    books.interrupt()
    books.isQuotaUnheard = false
    books.isBudgetUnheard = false
    books.isRunning = true
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
