import { describe, expect, test } from 'bun:test'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import { newRequestId } from '../../../src/core/id.ts'
import { isDated } from '../../../src/core/limits/budget.ts'
import { makeServiceKey } from '../../../src/keys/make-service-key.ts'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { recountEarlier } from '../../../src/ledger/budgets/earlier-spending.ts'
import { readBudgetStates } from '../../../src/ledger/budgets/read-states.ts'
import type { LeaseLedger } from '../../../src/ledger/leases/lease-ledger.ts'
import type { Hold } from '../../../src/ledger/ledger.ts'
import { write } from '../../../src/store/changes/write.ts'
import { Chance } from '../../simulation/chance.ts'
import { patience } from '../../support/patience.ts'
import { repeats } from '../../support/repeats.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { tools } from '../../support/store/row-helpers.ts'
import { usageRow } from '../../support/store/usage-row.ts'
import {
  BudgetModel,
  boundsOf,
  type ModelRequest,
  type OwnerName,
  type Period,
  periods,
} from './budget-model.ts'
import { BudgetWorld, settle } from './budget-world.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Without zones whose rules the two libraries know in different editions. */
const zones = [
  'UTC',
  'Asia/Kathmandu',
  'America/Santiago',
  'Africa/Cairo',
  'Pacific/Apia',
  'Etc/GMT+12',
  'US/Pacific',
  'Asia/Calcutta',
] as const
/** Some weeks before clocks change in most of these zones. */
const starts = [Date.parse('2026-02-11T12:34:56Z'), Date.parse('2027-08-27T23:10:00Z')] as const
const keys = { k: undefined, mine: 'u', 'mine-too': 'u', theirs: 'v' } as const
const steps = 60

interface Running {
  readonly request: ModelRequest
  readonly hold: Hold
  readonly id: string
}

/** One sequence of random steps, compared with the model after each of them. */
class RandomBudgets {
  readonly #chance: Chance
  readonly #world: BudgetWorld
  readonly #model: BudgetModel
  readonly #running: Running[] = []
  #counts = 0
  readonly log: string[] = []

  constructor(seed: number, world: BudgetWorld) {
    this.#chance = new Chance(seed)
    this.#world = world
    this.#model = new BudgetModel(this.#chance.oneOf(...starts))
    for (const [id, owner] of Object.entries(keys)) this.#model.owners.set(id, owner)
  }

  async run(): Promise<void> {
    const world = this.#world
    await world.open(this.#model.nowMs)
    for (const user of ['u', 'v']) await world.limitMember(user, {})
    for (const [id, owner] of Object.entries(keys))
      if (id !== 'k') await world.addKey(id, owner ?? null)
    // With a second process, a refused request waits until the other one has returned its idle money.
    for (const name of this.#chance.is(0.3) ? ['one', 'two'] : ['one'])
      await world.process(name, this.#chance.oneOf(0, -3_000, 3_000))
    for (let step = 0; step < steps; step += 1) {
      await this.#step()
      await this.#check()
    }
    for (const each of this.#running.splice(0)) await this.#end(each)
    await this.#check()
    await world.close()
  }

  async #step(): Promise<void> {
    const chance = this.#chance
    if (chance.is(0.5)) return this.#ask()
    if (chance.is(0.2)) return this.#endOne()
    if (chance.is(0.45)) return this.#pass()
    if (chance.is(0.8)) return this.#limit()
    return this.#convert()
  }

  get #ledger(): LeaseLedger {
    return this.#world.ledgers[this.#chance.whole(0, this.#world.ledgers.length - 1)] as LeaseLedger
  }

  async #ask(): Promise<void> {
    const { nowMs, owners } = this.#model
    const keyId = this.#chance.oneOf<keyof typeof keys>('k', 'mine', 'mine-too', 'theirs')
    const userId = owners.get(keyId)
    const amountNano = BigInt(this.#chance.oneOf(1, 3, 10, 10, 40))
    const requestId = newRequestId(nowMs)
    const wanted = this.#world.request({ requestId, keyId, amountNano, ...(userId && { userId }) })
    const expected = this.#model.refusalOf(keyId, amountNano)
    const ledger = this.#ledger
    let verdict = await ledger.reserve(wanted)
    // Like the gateway: the other process may have idle money, and was perhaps asked for it a moment ago.
    if (!verdict.ok && verdict.refusal.reason !== expected?.reason)
      verdict = await ledger.reserve({ ...wanted, waitsFor: 'in-flight' })
    this.log.push(`${keyId} asks for ${amountNano}: ${expected?.reason ?? 'admitted'}`)
    const seen = verdict.ok
      ? undefined
      : { reason: verdict.refusal.reason, resetsAtMs: verdict.refusal.budget?.resetsAtMs }
    expect(seen).toEqual(expected)
    if (!verdict.ok) return
    const request = {
      keyId,
      userId,
      admittedAtMs: nowMs,
      limitedBy: new Set(this.#model.budgetsFor(keyId).map(({ name }) => name)),
      heldNano: amountNano,
      costNano: undefined,
    }
    this.#model.requests.push(request)
    this.#running.push({ request, hold: verdict.hold, id: requestId })
    if (this.#chance.is(0.5)) await this.#endOne(this.#running.length - 1)
  }

  async #endOne(at = this.#chance.whole(0, Math.max(0, this.#running.length - 1))): Promise<void> {
    const [ended] = this.#running.splice(at, 1)
    if (ended) await this.#end(ended)
  }

  async #end({ request, hold, id }: Running): Promise<void> {
    const { keyId, admittedAtMs } = request
    const costNano = BigInt(this.#chance.whole(0, Number(request.heldNano)))
    const records = usageRow({
      requestId: id,
      at: admittedAtMs,
      accountId: 'acme',
      keyId,
      costNano,
    })
    settle(hold, costNano, records)
    request.costNano = costNano
    this.log.push(`a request of ${keyId} costs ${costNano}`)
    await Promise.all(this.#world.ledgers.map((ledger) => ledger.shipped()))
  }

  /** Some time, or until shortly before or exactly at the end of a period. */
  async #pass(): Promise<void> {
    const model = this.#model
    const limits = [...model.limits.values()]
    const ends = limits.flatMap((each) =>
      periods.flatMap((period) => boundsOf(period, model.nowMs, each)[1] ?? []),
    )
    const some = [hourMs, 20 * hourMs, 9 * dayMs].map((ms) => model.nowMs + ms)
    const next = ends
      .filter((ms) => ms - model.nowMs < 40 * dayMs)
      .flatMap((ms) => [ms, ms - 60_000])
    const toMs = this.#chance.oneOf(model.nowMs + 7_000, ...some, ...next, ...next)
    if (toMs <= model.nowMs) return
    model.nowMs = toMs
    await this.#world.setClock(toMs)
    this.log.push(`it is ${new Date(toMs).toISOString()}`)
  }

  async #limit(): Promise<void> {
    const chance = this.#chance
    const [owner, id] = chance.oneOf<[OwnerName, string]>(
      ['key', 'k'],
      ['key', 'mine'],
      ['member', 'u'],
      ['member', 'u'],
      ['member', 'v'],
      ['account', 'acme'],
    )
    const before = this.#model.limits.get(`${owner} ${id}`)
    // Often one kind of limit comes or goes, and the others stay.
    const isKept = before !== undefined && chance.is(0.6)
    const changed = chance.oneOf(...periods)
    const nano: Partial<Record<Period, bigint>> = {}
    for (const period of periods) {
      if (owner === 'key' && period === 'total') continue
      const present = before?.nano[period]
      if (isKept && period !== changed) {
        if (present !== undefined) nano[period] = present
      } else if (isKept ? present === undefined : chance.is(0.4))
        nano[period] = BigInt(chance.oneOf(0, 5, 30, 60, 200))
    }
    const zone = isKept ? before.zone : chance.oneOf(...zones)
    const monthDay = isKept ? before.monthDay : chance.oneOf(1, 15, 29, 30, 31)
    // Two changes at the same millisecond are one.
    this.#model.nowMs += 1
    const { nowMs } = this.#model
    await this.#world.setClock(nowMs)
    this.#model.limits.set(`${owner} ${id}`, { nano, zone, monthDay })
    this.log.push(`limits of ${owner} ${id}: ${JSON.stringify({ ...nano, zone, monthDay }, text)}`)
    const limits = {
      dailyNano: nano.day ?? null,
      weeklyNano: nano.week ?? null,
      monthlyNano: nano.month ?? null,
      budgetZone: zone,
      budgetMonthDay: monthDay,
    }
    const total = { totalNano: nano.total ?? null }
    const world = this.#world
    if (owner === 'key') await world.limitKey(limits, nowMs, id)
    if (owner === 'member') await world.limitMember(id, { ...limits, ...total }, nowMs)
    if (owner !== 'account') return
    await write(world.engine, nowMs, (w) => changeAccount(w, 'acme', { ...limits, ...total }))
    world.tell('account', 'acme')
  }

  async #convert(): Promise<void> {
    const id = this.#chance.oneOf('mine-too', 'theirs')
    if (this.#model.owners.get(id) === undefined) return
    // A request that runs while its key becomes a service key counts for a later limit of the member only in part.
    if (this.#running.some(({ request }) => request.keyId === id)) return
    this.#model.nowMs += 1
    await this.#world.setClock(this.#model.nowMs)
    await write(this.#world.engine, this.#model.nowMs, (w) => makeServiceKey(w, tools, id))
    this.#world.tell('key', id)
    this.#model.owners.set(id, undefined)
    this.log.push(`${id} becomes a service key`)
  }

  /** The database agrees with the model, and nothing is lost. */
  async #check(): Promise<void> {
    const { engine } = this.#world
    const model = this.#model
    this.#counts += 1
    // Requests that were running when a limit was set are counted every hour.
    await recountEarlier(engine, starts[1] + this.#counts * 2 * hourMs + 400 * dayMs)
    for (const [name, limits] of model.limits) {
      const [kind, id] = name.split(' ') as [OwnerName, string]
      const { zone, monthDay, nano } = limits
      const set = {
        totalNano: nano.total ?? null,
        dailyNano: nano.day ?? null,
        weeklyNano: nano.week ?? null,
        monthlyNano: nano.month ?? null,
      }
      const owner = { kind, accountId: 'acme', id }
      const terms = { ...set, zone, monthDay, alertPercent: null }
      const [shown = []] = await readBudgetStates(engine, [{ owner, limits: terms }], model.nowMs)
      expect(
        shown.filter(isDated).map((each) => [name, each.period, each.spentNano, each.endsAtMs]),
      ).toEqual(
        model.budgetsOf(kind, id).map((each) => [name, each.period, each.spentNano, each.endMs]),
      )
    }
    expect(await findImbalances(engine)).toEqual([])
  }
}

function text(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

const firstSeed = Number(process.env['TEST_SEED'] ?? 1)
const seeds = { sqlite: repeats(4, 40), postgres: repeats(2, 10) }

describe.each(engineFixtures('random-budgets'))('any limits in any order, on $kind', (fixture) => {
  const all = Array.from({ length: seeds[fixture.kind] }, (_, index) => firstSeed + index)
  test.each(all)(
    'are those of a model in plain integers, seed %d',
    async (seed) => {
      const world = new BudgetWorld(await fixture.openMigrated(), true)
      const sequence = new RandomBudgets(seed, world)
      await sequence.run().catch((error: unknown) => {
        throw new Error(`seed ${seed}:\n${sequence.log.join('\n')}`, { cause: error })
      })
    },
    patience(120_000),
  )
})
