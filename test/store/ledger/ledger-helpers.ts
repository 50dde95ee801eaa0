import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Nano } from '../../../src/core/money/money.ts'
import { noUsage } from '../../../src/core/money/usage.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import type { OpenAppendFile } from '../../../src/ledger/journal/append-file.ts'
import { type JournalOptions, openFileJournal } from '../../../src/ledger/journal/file-journal.ts'
import type { Journal } from '../../../src/ledger/journal/journal.ts'
import { openLife } from '../../../src/ledger/journal/open-life.ts'
import { settleShapes } from '../../../src/ledger/journal/settle-record.ts'
import { LeaseLedger } from '../../../src/ledger/leases/lease-ledger.ts'
import type { LeaseOwner } from '../../../src/ledger/leases/lease-units.ts'
import type { Hold, HoldRequest, HoldVerdict, Settlement } from '../../../src/ledger/ledger.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { GroupCommit } from '../../../src/store/units/group-commit.ts'

export interface Funds {
  readonly accountNano: Nano
  readonly keyNano: Nano | null
  readonly spentNano: Nano
}

/** Creates an account with one key. */
export async function openFunds(
  engine: Engine,
  money: { creditNano: Nano; quotaNano?: Nano },
): Promise<void> {
  const { creditNano } = money
  const quota = money.quotaNano ?? null
  await engine.db
    .insertInto('account')
    .values({
      id: 'a',
      name: 'A',
      status: 'active',
      ends_at: null,
      available_nano: creditNano,
      created_at: 1,
    })
    .execute()
  await engine.db
    .insertInto('credit')
    .values({
      id: 'c',
      account_id: 'a',
      amount_nano: creditNano,
      source: 't',
      external_id: '1',
      reason: '',
      created_at: 1,
    })
    .execute()
  await engine.db
    .insertInto('api_key')
    .values({
      id: 'k',
      account_id: 'a',
      name: 'K',
      value_hash: 'h',
      value_sealed: 's',
      value_hint: '',
      imported: 0,
      groups: '[]',
      models: null,
      addresses: null,
      quota_nano: quota,
      available_nano: quota,
      spent_nano: 0n,
      expires_at: null,
      enabled: 1,
      created_at: 1,
    })
    .execute()
  await engine.defineShapes(settleShapes)
}

/** Deletes everything that a ledger test has written. */
export async function clearLedger(engine: Engine): Promise<void> {
  for (const table of ['lease', 'entry', 'credit', 'api_key', 'account', 'replica'] as const) {
    await engine.db.deleteFrom(table).execute()
  }
}

export async function readFunds(engine: Engine): Promise<Funds> {
  const account = await engine.db
    .selectFrom('account')
    .select('available_nano')
    .executeTakeFirstOrThrow()
  const key = await engine.db
    .selectFrom('api_key')
    .select(['available_nano', 'spent_nano'])
    .executeTakeFirstOrThrow()
  return {
    accountNano: account.available_nano,
    keyNano: key.available_nano,
    spentNano: key.spent_nano,
  }
}

export interface Replica {
  readonly ledger: LeaseLedger
  readonly journal: Journal
  readonly owner: LeaseOwner
  readonly folder: string
  /** Like the death of the process: no caller waits for its remaining work. */
  die(): void
}

const folders: string[] = []
const tests: { isOver: boolean }[] = []

/** The ledger of one process on the engine, with its own journal folder or a given one. */
export async function openReplica(
  engine: Engine,
  name = 'r',
  folder = newFolder(),
  openFile?: OpenAppendFile,
  onShippingError?: (error: unknown) => void,
  options: JournalOptions = {},
): Promise<Replica> {
  const { owner, lock: life } = await openLife(engine, name, folder)
  const test = { isOver: false }
  tests.push(test)
  // A process that a test abandons still sends queries after the test's database is gone.
  const fail = (error: unknown): void => {
    if (!test.isOver) throw error
  }
  const journal = openFileJournal(
    folder,
    owner,
    { engine, onError: onShippingError ?? fail },
    { ...options, ...(openFile ? { openFile } : {}) },
  )
  const ledger = new LeaseLedger({
    engine,
    commits: new GroupCommit(engine),
    owner,
    clock: systemClock,
    journal,
    recall: (accountId) => write(engine, 1, async ({ announce }) => announce('recall', accountId)),
    onError: (_, error) => fail(error),
    onClosed: (hasLeftNothing) => life.end(hasLeftNothing),
  })
  return { ledger, journal, owner, folder, die: () => life.end(false) }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-journal-'))
  folders.push(folder)
  return folder
}

/** Call after each test. */
export function endTest(): void {
  for (const test of tests.splice(0)) test.isOver = true
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** The facts that recovery needs about a request of the tests. */
export const recovery: HoldRequest['recovery'] = {
  at: 1,
  model: 'm',
  protocol: 'chat-completions',
  groupId: 'g',
  priceVersionId: 'p',
  factorMicro: 1_000_000,
  inputTokens: 1,
  isStream: false,
  clientAddress: '127.0.0.1',
}

let requests = 0

export function holdRequest(amountNano: Nano, name?: string): HoldRequest {
  requests += 1
  return {
    requestId: name ?? `request-${requests}`,
    accountId: 'a',
    keyId: 'k',
    amountNano,
    recoveryNano: 1n,
    recovery,
  }
}

/** The hold of a request that must not be refused. */
export function holdOf(verdict: HoldVerdict): Hold {
  if (!verdict.ok) throw new Error(`refused: ${verdict.refusal.reason}`)
  return verdict.hold
}

export function costing(costNano: Nano): Settlement {
  return {
    costNano,
    usage: noUsage,
    usageSource: 'upstream',
    priceVersionId: 'p',
    factorMicro: 1_000_000n,
    flags: [],
  }
}
