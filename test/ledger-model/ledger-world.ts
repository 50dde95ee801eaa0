import { sql } from 'kysely'
import { costOf, type Price } from '../../src/core/money/price.ts'
import { noUsage } from '../../src/core/money/usage.ts'
import type { Clock } from '../../src/core/time/clock.ts'
import { updateKey } from '../../src/keys/key-store.ts'
import { CreditShortage, grantCredit } from '../../src/ledger/credits.ts'
import type { Hold, HoldRequest, Settlement } from '../../src/ledger/ledger.ts'
import { write } from '../../src/store/changes/write.ts'
import type { Engine } from '../../src/store/engine.ts'
import { MemoryDisk } from '../support/ledger/memory-disk.ts'
import { plainKey } from '../support/store/row-helpers.ts'
import type { Budgets, KeyName, Terms } from './account-model.ts'
import { type LedgerProcess, startLedgerProcess } from './ledger-process.ts'

const tables = [
  'budget_counter',
  'budget_set',
  'budget_crossing',
  'uncounted_cost',
  'membership',
  'console_user',
  'lease',
  'entry',
  'uncovered',
  'credit',
  'api_key',
  'account',
  'replica',
  'change',
] as const

/** The test can set the database's clock. */
const clockName = 'clock of a test'

const dayMs = 86_400_000
/** Shortly before a day ends, so that many leases are alive when it does. */
const startMs = 20_000 * dayMs - 90_000

/** The system under test: a database, a disk, and one process after the other. */
export class LedgerWorld {
  readonly engine: Engine
  readonly disk = new MemoryDisk()
  readonly errors: unknown[] = []
  readonly #openHolds = new Map<string, { hold: Hold; price: Price; factorMicro: bigint }>()
  /** All records that were ever applied. */
  readonly records: unknown[] = []
  isReordering = false
  #elapsedMs = 0
  /** The clock of the database stands still between two jumps. */
  #databaseMs = startMs
  #process: LedgerProcess | undefined
  #requests = 0

  constructor(engine: Engine) {
    this.engine = this.#overheard(engine)
  }

  readonly clock: Clock = {
    nowMs: () => startMs + this.#elapsedMs,
    monotonicMs: () => {
      this.#elapsedMs += 1
      return this.#elapsedMs
    },
  }

  /** Creates an account with one key that has a quota and one that has none. */
  async open(quotaNano: bigint | undefined, budgets: Budgets = {}): Promise<void> {
    const { db } = this.engine
    for (const table of tables) await db.deleteFrom(table).execute()
    await this.#setDatabaseClock()
    const account = { id: 'a', name: 'A', status: 'active', ends_at: null, created_at: 1 }
    await db
      .insertInto('account')
      .values({ ...account, available_nano: 0n })
      .execute()
    await db
      .insertInto('api_key')
      .values([keyRow('limited', quotaNano ?? null), keyRow('free', null)])
      .execute()
    const user = { id: 'u', email: 'u', password_hash: null, role: 'member', language: null }
    const unset = { theme: null, seen_at: null, totp_sealed: null, totp_wanted_sealed: null }
    const login = { open_id: null, invited_email: null, invited_to: null, proof: null }
    await db
      .insertInto('console_user')
      .values({ ...user, ...unset, ...login, proven_at: null, created_at: 1 })
      .execute()
    await db.insertInto('membership').values({ user_id: 'u', account_id: 'a' }).execute()
    await this.setBudgets(budgets)
    await this.start()
  }

  get process(): LedgerProcess {
    if (!this.#process) throw new Error('no process runs')
    return this.#process
  }

  async start(): Promise<void> {
    const { disk, clock } = this
    const onError = (error: unknown): void => void this.errors.push(error)
    this.#process = await startLedgerProcess(this.engine, { disk, clock, onError })
  }

  kill(): void {
    this.#process?.kill()
    this.#openHolds.clear()
  }

  /** Advances the time of the process and of the database. */
  async jump(ms: number): Promise<void> {
    this.#elapsedMs += ms
    await this.#setDatabaseClock()
  }

  get databaseDay(): number {
    return Math.floor(this.#databaseMs / dayMs)
  }

  async setBudgets(budgets: Budgets): Promise<void> {
    const { db } = this.engine
    const next = { budget_version: sql<number>`budget_version + 1`, budget_alert_percent: 80 }
    await db
      .updateTable('api_key')
      .set({ ...next, daily_nano: budgets.keyDay ?? null })
      .where('id', '=', 'limited')
      .execute()
    await db
      .updateTable('membership')
      .set({ ...next, daily_nano: budgets.memberDay ?? null })
      .execute()
    await db
      .updateTable('account')
      .set({
        ...next,
        daily_nano: budgets.accountDay ?? null,
        total_nano: budgets.accountTotal ?? null,
      })
      .execute()
  }

  /** One statement, because the process may be renewing its leases, and the clock must always have a value. */
  async #setDatabaseClock(): Promise<void> {
    this.#databaseMs = this.clock.nowMs()
    const value = String(this.#databaseMs)
    await this.engine.db
      .insertInto('fact')
      .values({ name: clockName, value })
      .onConflict((fact) => fact.column('name').doUpdateSet({ value }))
      .execute()
  }

  /** The id of the request when it is admitted. */
  async admit(
    keyId: KeyName,
    amountNano: bigint,
    recoveryNano: bigint,
    terms: Terms,
  ): Promise<string | undefined> {
    this.#requests += 1
    const price = priceOf(terms.nanoPerToken)
    const request = {
      ...holdRequest(`request-${this.#requests}`, keyId, terms),
      amountNano,
      recoveryNano,
    }
    const verdict = await this.process.ledger.reserve(request)
    if (!verdict.ok) return undefined
    await verdict.hold.admitted
    const { factorMicro } = terms
    this.#openHolds.set(request.requestId, { hold: verdict.hold, price, factorMicro })
    return request.requestId
  }

  async extend(requestId: string, moreNano: bigint): Promise<boolean> {
    return (await this.#openHolds.get(requestId)?.hold.extend(moreNano)) ?? false
  }

  /** The cost by the pricing function, and the final hold: for a cost above the hold, as much as is available. */
  async settle(
    requestId: string,
    tokens: number,
    isSoon: boolean,
  ): Promise<{ costNano: bigint; grantedNano: bigint }> {
    const open = this.#openHolds.get(requestId)
    if (!open) throw new Error(`there is no request ${requestId}`)
    const usage = { ...noUsage, output: tokens }
    const costNano = costOf(usage, open.price, open.factorMicro)
    const settlement: Settlement = {
      costNano,
      usage,
      usageSource: 'upstream',
      priceVersionId: open.price.versionId,
      factorMicro: open.factorMicro,
      flags: [],
    }
    const excessNano = costNano - open.hold.grantedNano
    if (excessNano > 0n) await open.hold.cover(excessNano)
    const { grantedNano } = open.hold
    if (isSoon) await open.hold.settleSoon(settlement, [])
    else open.hold.settle(settlement, [])
    this.#openHolds.delete(requestId)
    return { costNano, grantedNano }
  }

  topUp(number: number, amountNano: bigint): Promise<boolean> {
    const grant = { id: `credit-${number}`, externalId: String(number), amountNano }
    const rest = { accountId: 'a', source: 'test', reason: '', at: 1 }
    return write(this.engine, 1, (writing) => grantCredit(writing, { ...grant, ...rest }))
  }

  /** False when the amount is not available, for example because it is leased. */
  async takeBack(number: number, amountNano: bigint): Promise<boolean> {
    try {
      await this.topUp(number, -amountNano)
      return true
    } catch (error) {
      if (!(error instanceof CreditShortage)) throw error
      return false
    }
  }

  async availableNano(): Promise<bigint> {
    const query = this.engine.db
      .selectFrom('account')
      .select('available_nano')
      .where('id', '=', 'a')
    return (await query.executeTakeFirstOrThrow()).available_nano
  }

  async setQuota(quotaNano: bigint | undefined): Promise<void> {
    const { daily_nano: dailyNano, budget_alert_percent: budgetAlertPercent } = await this.engine.db
      .selectFrom('api_key')
      .select(['daily_nano', 'budget_alert_percent'])
      .where('id', '=', 'limited')
      .executeTakeFirstOrThrow()
    const kept = { accountId: 'a', dailyNano, budgetAlertPercent }
    const settings = { ...plainKey, ...kept, quotaNano: quotaNano ?? null }
    await write(this.engine, 1, (writing) => updateKey(writing, 'limited', settings))
  }

  #overheard(engine: Engine): Engine {
    return {
      ...engine,
      clockSql: `(SELECT CAST(value AS BIGINT) FROM fact WHERE name = '${clockName}')`,
      applyRecords: (texts) => {
        const records = texts.flatMap((text) => JSON.parse(text) as unknown[])
        this.records.push(...records)
        if (!this.isReordering) return engine.applyRecords(texts)
        return engine.applyRecords([JSON.stringify(records.reverse())])
      },
    }
  }
}

function priceOf(nanoPerToken: bigint): Price {
  return {
    versionId: `price-${nanoPerToken}`,
    inputNano: 0n,
    cacheReadNano: 0n,
    cacheWrite5mNano: 0n,
    cacheWrite1hNano: 0n,
    outputNano: nanoPerToken * 1_000_000n,
    requestNano: 0n,
  }
}

function holdRequest(
  requestId: string,
  keyId: KeyName,
  terms: Terms,
): Omit<HoldRequest, 'amountNano' | 'recoveryNano'> {
  return {
    requestId,
    accountId: 'a',
    keyId,
    ...(keyId === 'free' ? { userId: 'u' } : {}),
    recovery: {
      at: 1,
      model: 'm',
      protocol: 'chat-completions',
      groupId: 'g',
      priceVersionId: priceOf(terms.nanoPerToken).versionId,
      factorMicro: Number(terms.factorMicro),
      inputTokens: 1,
      isStream: false,
      clientAddress: '127.0.0.1',
    },
  }
}

function keyRow(id: KeyName, quotaNano: bigint | null) {
  return {
    id,
    account_id: 'a',
    name: id,
    value_hash: id,
    value_sealed: '',
    value_hint: '',
    imported: 0,
    groups: '[]',
    models: null,
    addresses: null,
    quota_nano: quotaNano,
    available_nano: quotaNano,
    spent_nano: 0n,
    expires_at: null,
    enabled: 1,
    created_at: 1,
  }
}
