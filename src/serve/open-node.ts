import { openAccountDirectory } from '../accounts/account-directory.ts'
import { openCatalogDirectory } from '../catalog/catalog-directory.ts'
import type { AddressRange } from '../core/address-range.ts'
import type { Clock } from '../core/clock.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import { limits } from '../gateway/limits.ts'
import type { SendHttp } from '../gateway/outgoing-http.ts'
import { Watchdog } from '../gateway/watchdog.ts'
import { openKeyDirectory } from '../keys/key-directory.ts'
import { createDirectLedger } from '../ledger/direct-ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { recoverLeases } from '../ledger/recover-leases.ts'
import { takeEpoch } from '../ledger/replica.ts'
import { type ChangeFollower, followChanges } from '../store/change-follower.ts'
import type { Engine } from '../store/engine.ts'
import { GroupCommit } from '../store/group-commit.ts'
import type { Vault } from '../store/vault.ts'
import type { Log } from '../telemetry/log.ts'
import { usageStatements } from '../usage/usage-log.ts'
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
  readonly trustedProxies: readonly AddressRange[]
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
  const follower = await followChanges(
    engine,
    async (changes) => {
      await Promise.all([keys.apply(changes), accounts.apply(changes), catalog.apply(changes)])
    },
    (error) => log.warn('changes_not_followed', { why: String(error) }),
  )
  const owner = await takeEpoch(engine, parts.replica, clock.nowMs())
  const recover = async () => {
    const count = await recoverLeases(engine, owner, clock.nowMs(), (each) =>
      usageStatements(recoveredRecord(each)),
    )
    if (count > 0)
      log.warn('recovered', {
        count,
        why: 'requests that a stopped process had left open are settled',
      })
  }
  await recover()
  const reclaiming = setInterval(() => {
    recover().catch((error: unknown) => log.error('recovery_failed', { why: String(error) }))
  }, reclaimEveryMs)
  const commits = new GroupCommit(engine)
  const ledger = createDirectLedger({ engine, commits, owner, clock })
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
      commits.run({ statements: usageStatements(record) }).catch((error: unknown) => {
        log.error('refusal_not_recorded', { requestId: record.requestId, why: String(error) })
      })
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
      await ledger.settled()
    },
  }
}
