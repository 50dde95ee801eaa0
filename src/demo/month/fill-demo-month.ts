import { putAccount } from '../../accounts/account-store.ts'
import { newId } from '../../core/id.ts'
import { nanoPerDollar } from '../../core/money/money.ts'
import { costOf, type Price } from '../../core/money/price.ts'
import { createKey, type KeyDeps } from '../../keys/key-store.ts'
import { grantCredit } from '../../ledger/credits.ts'
import { settleRecord, settleShapes } from '../../ledger/journal/settle-record.ts'
import { addFact, putFact, readFact } from '../../store/changes/facts.ts'
import { type Writing, write } from '../../store/changes/write.ts'
import type { Engine } from '../../store/engine.ts'
import { priceOfRow } from '../../store/rows/price-row.ts'
import { makeMonths } from '../../store/tables/months.ts'
import { usageRecords } from '../../usage/usage-records.ts'
import { usageShapes } from '../../usage/usage-shapes.ts'
import { demoCallers } from './demo-callers.ts'
import { dayMs, generateMonth, type SampleRequest } from './generate-month.ts'

const accountId = 'demo'
const monthFact = 'demo-month'
const isWhole = 'whole'
const monthDays = 31
const rowsPerBatch = 500
const credits = [
  { daysAgo: 31, amountNano: 50n * nanoPerDollar, reason: 'First payment' },
  { daysAgo: 9, amountNano: 100n * nanoPerDollar, reason: 'Invoice 2026-118' },
]
const quotas: Readonly<Record<string, bigint>> = { demo_reports: 5n * nanoPerDollar }
const trialKey = 'demo_trial'

interface RatedRequest extends SampleRequest {
  readonly price: Price | undefined
  readonly factorMicro: bigint | undefined
  readonly costNano: bigint
}

/**
 * Creates an account with a month of usage, so that charts and tables show data. The month is created once and never
 * changed. A start after an interrupted one continues, because the same start time gives the same requests.
 */
export async function fillDemoMonth(engine: Engine, deps: KeyDeps): Promise<void> {
  const startedAt = await readFact(engine.db, monthFact)
  if (startedAt === isWhole) return
  const nowMs = startedAt === undefined ? deps.nowMs() : Number(startedAt)
  const requests = await rate(engine, generateMonth(nowMs), nowMs)
  if (startedAt === undefined) {
    const isOurs = await write(engine, nowMs, async (writing) => {
      if (!(await addFact(writing.tx, monthFact, String(nowMs)))) return false
      await putPeople(writing, { ...deps, nowMs: () => nowMs }, requests)
      return true
    })
    // Another process was faster: continue its month instead of creating a second one.
    if (!isOurs) return fillDemoMonth(engine, deps)
  }
  await makeMonths(engine, nowMs - monthDays * dayMs)
  await engine.defineShapes([...settleShapes, ...usageShapes])
  for (let from = 0; from < requests.length; from += rowsPerBatch) {
    const records = requests.slice(from, from + rowsPerBatch).flatMap(recordsOf)
    await engine.applyRecords([JSON.stringify(records)])
  }
  await putFact(engine.db, monthFact, isWhole)
}

async function rate(
  { db }: Engine,
  requests: readonly SampleRequest[],
  nowMs: number,
): Promise<RatedRequest[]> {
  const groups = await db.selectFrom('service_group').select(['id', 'factor_micro']).execute()
  const rows = await db
    .selectFrom('price_version')
    .selectAll()
    .where('valid_from', '<=', nowMs)
    .orderBy('valid_from')
    .execute()
  const prices = new Map(rows.map((row) => [row.model_id, priceOfRow(row)]))
  const factors = new Map(groups.map((row) => [row.id, BigInt(row.factor_micro)]))
  return requests.map((request) => {
    const price = prices.get(request.model)
    const factorMicro = factors.get(request.groupId ?? '')
    const costNano = price && factorMicro ? costOf(request.usage, price, factorMicro) : 0n
    return { ...request, price, factorMicro, costNano }
  })
}

async function putPeople(
  writing: Writing,
  deps: KeyDeps,
  requests: readonly RatedRequest[],
): Promise<void> {
  const beginMs = deps.nowMs() - monthDays * dayMs
  await putAccount(writing, beginMs, { id: accountId, name: 'Demo Robotics' })
  for (const { daysAgo, amountNano, reason } of credits) {
    const at = deps.nowMs() - daysAgo * dayMs
    await grantCredit(writing, {
      id: newId('credit', deps.random),
      accountId,
      amountNano,
      source: 'demo',
      externalId: `${accountId}-${daysAgo}`,
      reason,
      at,
    })
  }
  const keyTools = { ...deps, nowMs: () => beginMs }
  for (const caller of demoCallers) {
    const { keyId: id, name, groups } = caller
    // The quota of the trial key equals its spending, to the nano.
    const quotaNano = id === trialKey ? spentBy(id, requests) : quotas[id]
    await createKey(writing, keyTools, { accountId, name, groups, quotaNano }, { id })
  }
  const expiresAt = deps.nowMs() - 20 * dayMs
  const workshop = { accountId, name: 'Workshop', models: ['demo-small'], expiresAt }
  await createKey(writing, keyTools, workshop, { id: 'demo_workshop' })
  const old = { accountId, name: 'Old laptop', isEnabled: false }
  await createKey(writing, keyTools, old, { id: 'demo_laptop' })
}

function spentBy(keyId: string, requests: readonly RatedRequest[]): bigint {
  return requests
    .filter(({ caller }) => caller.keyId === keyId)
    .reduce((sum, { costNano }) => sum + costNano, 0n)
}

function recordsOf({ price, factorMicro, ...request }: RatedRequest) {
  const { requestId, caller, usage, costNano } = request
  const row = {
    ...request,
    accountId,
    keyId: caller.keyId,
    clientAddress: caller.address,
    clientRequestId: undefined,
    upstreamId: request.groupId === undefined ? undefined : 'demo',
    upstreamRequestId: request.status === 200 ? `demo-${requestId.slice(-12)}` : undefined,
  }
  const log = usageRecords(row, usage)
  if (!price || factorMicro === undefined) return log
  // The lease no longer exists, as with any old request: the cost is taken from key and account directly.
  const settled = { requestId, accountId, keyId: caller.keyId, leaseId: requestId }
  const settlement = {
    costNano,
    usage,
    usageSource: request.status === 200 ? 'upstream' : 'none',
    priceVersionId: price.versionId,
    factorMicro,
    flags: [],
  } as const
  return [settleRecord(settled, settlement), ...log]
}
