import { openAccountDirectory } from '../accounts/account-directory.ts'
import { openCatalogDirectory } from '../catalog/catalog-directory.ts'
import type { Clock } from '../core/clock.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import { limits } from '../gateway/limits.ts'
import type { SendHttp } from '../gateway/outgoing-http.ts'
import { Watchdog } from '../gateway/watchdog.ts'
import { openKeyDirectory } from '../keys/key-directory.ts'
import { openFileJournal } from '../ledger/file-journal.ts'
import { LeaseLedger } from '../ledger/lease-ledger.ts'
import type { LeaseOwner } from '../ledger/lease-units.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { reclaimLeases, recoverOwn } from '../ledger/recover.ts'
import { takeEpoch } from '../ledger/replica.ts'
import { settleShape } from '../ledger/settle-record.ts'
import { type ChangeFollower, followChanges } from '../store/change-follower.ts'
import type { Engine } from '../store/engine.ts'
import { GroupCommit } from '../store/group-commit.ts'
import type { Vault } from '../store/vault.ts'
import { write } from '../store/write.ts'
import type { Log } from '../telemetry/log.ts'
import { attemptShape, usageRecords, usageShape } from '../usage/usage-records.ts'
import type { Observer } from './observe.ts'
import { recoveredRecord } from './recovered-record.ts'

export interface NodeParts {
  readonly engine: Engine
  readonly vault: Vault
  readonly clock: Clock
  readonly send: SendHttp
  readonly log: Log
  readonly observer: Observer
  readonly replica: string
  readonly brand: string
  readonly demoBaseUrl: string | undefined
  /** Where this process writes down what it has admitted. */
  readonly journalFolder: string
}

/** The gateway on its database, ready to answer. */
export interface Node {
  readonly gateway: Gateway
  readonly ledger: Ledger
  readonly follower: ChangeFollower
  /** Ends what is still running upstream, with an honest error to its caller. */
  abortAll(): void
  close(): Promise<void>
}

const reclaimEveryMs = 60_000

/** Puts the steps of a request together: snapshots that follow the database, the ledger, the way out. */
export async function openNode(parts: NodeParts): Promise<Node> {
  const { engine, vault, clock, log, observer } = parts
  const keys = await openKeyDirectory(engine, vault)
  const accounts = openAccountDirectory(engine)
  const catalog = await openCatalogDirectory(engine, vault, parts.demoBaseUrl)
  await engine.defineShapes([settleShape, usageShape, attemptShape])
  const owner = await takeEpoch(engine, parts.replica, clock.nowMs())
  const journal = openFileJournal(parts.journalFolder, owner, {
    engine,
    onError: (error) => log.error('database_behind', { why: String(error) }),
  })
  await recover(parts, owner)
  const commits = new GroupCommit(engine)
  const ledger = new LeaseLedger({
    engine,
    commits,
    owner,
    clock,
    journal,
    recall: (accountId) =>
      write(engine, clock.nowMs(), async ({ announce }) => announce('recall', accountId)),
    onError: (what, error) => log.error(what, { why: String(error) }),
  })
  const follower = await followChanges(
    engine,
    async (changes) => {
      ledger.apply(changes)
      await Promise.all([keys.apply(changes), accounts.apply(changes), catalog.apply(changes)])
    },
    (error) => log.warn('changes_not_followed', { why: String(error) }),
  )
  const reclaiming = setInterval(() => {
    reclaimLeases(engine, clock.nowMs()).catch((error: unknown) =>
      log.error('reclaim_failed', { why: String(error) }),
    )
  }, reclaimEveryMs)
  const watchdog = new Watchdog(clock, limits.watchEveryMs)
  const gateway = createGateway({
    keys,
    accounts,
    catalog,
    ledger,
    clock,
    watchdog,
    send: parts.send,
    random: Math.random,
    costHeader: `x-${parts.brand}-cost`,
    onSettled: observer.onRecord,
    onTrouble: (exchange, fault) => observer.onTrouble(exchange.call.requestId, fault),
    recordRefusal: (record) => {
      observer.onRecord(record)
      ledger.record(usageRecords(record))
    },
  })
  return {
    gateway,
    ledger,
    follower,
    abortAll: () => watchdog.expireAll(),
    close: async () => {
      clearInterval(reclaiming)
      watchdog.stop()
      await follower.stop()
      await ledger.close()
    },
  }
}

async function recover(
  { engine, log, journalFolder }: NodeParts,
  owner: LeaseOwner,
): Promise<void> {
  const found = await recoverOwn(engine, owner, journalFolder, (each) =>
    usageRecords(recoveredRecord(each)),
  )
  if (found.requests + found.leases === 0) return
  log.warn('recovered', { ...found, why: 'an earlier process was stopped before it could settle' })
}
