import type { Selectable } from 'kysely'
import { findImbalances } from '../../src/ledger/audit/conservation.ts'
import { rerate } from '../../src/ledger/journal/rerate.ts'
import type { BudgetCounterTable } from '../../src/store/tables/budget-tables.ts'
import type { EntryTable } from '../../src/store/tables/tables.ts'
import { type KnownRequest, price } from './request.ts'
import type { Simulation } from './simulation.ts'

/*
 * Where each invariant is checked:
 * L1 after each transaction (`Simulation`) and at the end
 * L2 at the end: every request that its client knows as admitted has an entry; the primary key prevents a second one
 * L3 at the end: all records are applied again in reverse order, and nothing changes
 * L4 at the end: spending does not exceed the credit, the quota or a budget, and each request is charged to the period
 *   and the member of its admission; after the trouble (`checkCalm`): not one nano too much is admitted
 * L5 after the trouble (`checkCalm`): all remaining money can be spent, also money in idle leases of other processes
 * L6 after the last stop: no lease and no journal is left, except leases that still have to expire
 * L7 at the end: an answered request costs what its client was told, whatever died since, as far as `durability` promises
 * L8 at the end: the cost of every entry follows from its usage and price, except for the uncovered part
 * L9 nights, in which leases with running requests are reclaimed, together with L1, L2 and L7
 * L10 to L12 do not concern dying processes: the tests of the gateway and of the stores cover them.
 */

type Entry = Selectable<EntryTable>

/** A lease that is not renewed expires within this time. */
const longestMs = 45 * 60_000

/** Younger data may not be on the disk after a power loss, unless an answer waits for the sync. */
const syncedAfterMs = 1_000

/** After this time, a running process has written what the journal got. */
const writtenAfterMs = 1_000

/** The violated invariants at the end, when all processes have stopped. */
export async function findViolations(simulation: Simulation): Promise<string[]> {
  const { engine, requests, machines } = simulation
  const found = [...simulation.found]
  const wrong = await findImbalances(engine)
  if (wrong.length > 0) found.push(`L1: ${show(wrong)}`)
  const leases = await engine.db.selectFrom('lease').selectAll().execute()
  if (leases.length > 0) found.push(`L6: leases are left: ${show(leases)}`)
  const files = new Set(machines.flatMap(({ disk }) => disk.names))
  if (files.size > 0) found.push(`L6: files are left: ${[...files].join(' ')}`)
  const entries = await engine.db.selectFrom('entry').selectAll().execute()
  const costs = new Map(entries.map((entry) => [entry.request_id, entry.cost_nano]))
  for (const request of requests) {
    found.push(...problemsOf(request, costs.get(request.requestId), simulation))
  }
  const uncovered = await engine.db.selectFrom('uncovered').selectAll().execute()
  const missing = new Map(uncovered.map((row) => [row.request_id, row.uncovered_nano]))
  found.push(...overspending(simulation, entries), ...wrongPrices(entries, missing))
  found.push(...(await budgetProblems(simulation, entries)))
  found.push(...(await repetitionProblems(simulation)))
  return found
}

/** L2 and L7. */
function problemsOf(
  request: KnownRequest,
  costNano: bigint | undefined,
  simulation: Simulation,
): string[] {
  const { requestId, admittedAtMs, answeredAtMs, recoveryNano, checkpoints } = request
  const isAnswered = answeredAtMs !== undefined
  const costs = [recoveryNano, request.costNano, ...checkpoints.map(({ nano }) => nano)]
  if (costNano !== undefined && !costs.includes(costNano))
    return [`L2: ${requestId} costs ${costNano}`]
  if (mayBeLost(request, simulation)) return []
  if (simulation.forgotten.has(requestId) || request.process.life.isJournalDamaged) return []
  if (admittedAtMs !== undefined && costNano === undefined) return [`L2: ${requestId} has no entry`]
  if (isAnswered && costNano !== request.costNano)
    return [`L7: ${requestId} costs ${costNano}, not ${request.costNano}`]
  const leastNano = writtenNano(request)
  if (costNano !== undefined && costNano !== request.costNano && costNano < leastNano)
    return [`L2: ${requestId} costs ${costNano}, and had come to ${leastNano}`]
  return []
}

/** The charge that was certainly in the journal before the process died. */
function writtenNano({ checkpoints, process: { life } }: KnownRequest): bigint {
  if (life.hasDiskFault) return 0n
  const endedAtMs = life.endedAtMs ?? Number.POSITIVE_INFINITY
  const written = checkpoints.filter(({ atMs }) => atMs + writtenAfterMs < endedAtMs)
  return written.at(-1)?.nano ?? 0n
}

/** Whether the power was lost before `durability` guarantees that the request survives. */
function mayBeLost(request: KnownRequest, { terms }: Simulation): boolean {
  const { admittedAtMs, answeredAtMs, process } = request
  const lastAtMs = answeredAtMs ?? admittedAtMs
  if (lastAtMs === undefined) return false
  const lostAtMs = process.machine.powerLostAtMs.find((atMs) => atMs >= lastAtMs)
  if (lostAtMs === undefined) return false
  if (terms.durability === 'database') return answeredAtMs === undefined
  if (terms.isDiskLying) return true
  // An answer waits for the disk. An admission does not: it is synced soon after, like any line.
  if (terms.durability === 'fsync' && answeredAtMs !== undefined) return false
  const { endedAtMs = lostAtMs } = process.life
  return Math.min(lostAtMs, endedAtMs) - lastAtMs < syncedAfterMs
}

/** Requests whose settlement reached the database only after their lease had expired. */
function lateRequests({ requests, appliedAtMs }: Simulation): ReadonlySet<string> {
  const late = requests.filter(
    ({ requestId, askedAtMs }) => (appliedAtMs.get(requestId) ?? 0) - askedAtMs > longestMs,
  )
  return new Set(late.map(({ requestId }) => requestId))
}

/**
 * L4. Requests that the database learns of only after the lease has expired, because a process slept, may exceed the
 * limits: others could spend that money.
 */
function overspending(simulation: Simulation, entries: readonly Entry[]): string[] {
  const { terms } = simulation
  // Money of requests that a restored database has forgotten is spent twice.
  if (simulation.forgotten.size > 0) return []
  const late = lateRequests(simulation)
  const spent = (isCounted: (entry: Entry) => boolean): bigint =>
    entries
      .filter((entry) => isCounted(entry) && !late.has(entry.request_id))
      .reduce((sum, entry) => sum + entry.cost_nano, 0n)
  const found: string[] = []
  if (spent(() => true) > terms.creditNano) found.push('L4: the account')
  const ofKey = spent((entry) => entry.key_id === 'limited')
  if (terms.quotaNano !== undefined && ofKey > terms.quotaNano) found.push('L4: the key')
  return found
}

/** L4 for each counter; and each request is charged to the owner and the period of its admission. */
async function budgetProblems(
  simulation: Simulation,
  entries: readonly Entry[],
): Promise<string[]> {
  const { engine, terms, requests, memberNanoMax } = simulation
  if (!terms.budgets || simulation.forgotten.size > 0) return []
  const counters = await engine.db.selectFrom('budget_counter').selectAll().execute()
  const sets = await engine.db.selectFrom('budget_set').selectAll().execute()
  const countersOf = (setId: string | null) =>
    sets
      .filter(({ set_id }) => set_id === setId)
      .flatMap(({ counter_id }) => counters.find(({ id }) => id === counter_id) ?? [])
  if (
    counters.some(({ starts_at, spent_nano }) => starts_at === terms.midnightMs && spent_nano > 0n)
  )
    simulation.see('reset')
  const late = lateRequests(simulation)
  const { period } = terms.budgets
  const limitOf = (counter: Selectable<BudgetCounterTable>): bigint =>
    counter.period === period ? memberNanoMax : counter.limit_nano
  const found: string[] = []
  for (const counter of counters) {
    const isSame = (each: typeof counter): boolean =>
      each.owner_kind === counter.owner_kind &&
      each.owner_id === counter.owner_id &&
      each.period === counter.period &&
      each.starts_at === counter.starts_at
    if (counters.some((each) => each.id > counter.id && isSame(each)))
      found.push(`L4: ${counter.id} is not the only counter of its limit`)
    const limitNano = counter.owner_kind === 'member' ? limitOf(counter) : counter.limit_nano
    const spentNano = entries
      .filter(
        ({ budget_set, request_id }) =>
          !late.has(request_id) && countersOf(budget_set).includes(counter),
      )
      .reduce((sum, { cost_nano }) => sum + cost_nano, 0n)
    if (spentNano > limitNano) found.push(`L4: ${counter.id} has spent ${spentNano}`)
  }
  const asked = new Map(requests.map((request) => [request.requestId, request]))
  for (const entry of entries) {
    const request = asked.get(entry.request_id)
    if (!request) continue
    for (const counter of countersOf(entry.budget_set))
      found.push(...chargeProblems(request, counter, simulation))
  }
  return found
}

function chargeProblems(
  { requestId, keyId, userId, askedAtMs, admittedAtMs }: KnownRequest,
  counter: Selectable<BudgetCounterTable>,
  { startMs }: Simulation,
): string[] {
  const owner = { key: keyId, member: userId, account: 'a' }[counter.owner_kind]
  const found = owner === counter.owner_id ? [] : [`L4: ${requestId} is charged to ${counter.id}`]
  const { starts_at: startsAt, ends_at: endsAt } = counter
  const isBefore = admittedAtMs !== undefined && startMs + admittedAtMs < startsAt
  const isAfter = endsAt !== null && startMs + askedAtMs >= endsAt
  if (isBefore || isAfter)
    found.push(`L4: ${requestId} is charged to another period: ${counter.id}`)
  return found
}

/** L8. */
function wrongPrices(entries: readonly Entry[], uncovered: ReadonlyMap<string, bigint>): string[] {
  return entries.flatMap((entry) => {
    const usage = {
      input: entry.input_tokens,
      cacheRead: entry.cache_read_tokens,
      cacheWrite5m: entry.cache_write_5m_tokens,
      cacheWrite1h: entry.cache_write_1h_tokens,
      output: entry.output_tokens,
      reasoning: entry.reasoning_tokens,
    }
    const { usage_source: usageSource, cost_nano: costNano } = entry
    const factorMicro = BigInt(entry.factor_micro)
    const rated = { usage, usageSource, factorMicro, flags: entry.flags }
    const explainedNano = costNano + (uncovered.get(entry.request_id) ?? 0n)
    const isRight = rerate(rated, price) === explainedNano
    return isRight ? [] : [`L8: ${entry.request_id} costs ${costNano}`]
  })
}

/** L3. */
async function repetitionProblems(simulation: Simulation): Promise<string[]> {
  const { engine, applied, database } = simulation
  // Changes show at the end; a check after each record would take as long as everything else.
  database.onCommit = () => undefined
  const before = await readState(simulation)
  for (const record of applied.splice(0).toReversed()) {
    await engine.applyRecords([JSON.stringify([record])])
  }
  const after = await readState(simulation)
  return before === after ? [] : [`L3: ${before} became ${after}`]
}

async function readState({ engine: { db } }: Simulation): Promise<string> {
  const account = await db.selectFrom('account').select('available_nano').execute()
  const keys = await db
    .selectFrom('api_key')
    .select(['id', 'available_nano', 'spent_nano'])
    .orderBy('id')
    .execute()
  const entries = await db
    .selectFrom('entry')
    .select(['request_id', 'cost_nano'])
    .orderBy('request_id')
    .execute()
  const counters = await db.selectFrom('budget_counter').selectAll().orderBy('id').execute()
  return show({ account, keys, entries, counters })
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))
}
