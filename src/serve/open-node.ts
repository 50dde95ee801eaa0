import { openAccountDirectory } from '../accounts/account-directory.ts'
import { openCatalogDirectory } from '../catalog/catalog-directory.ts'
import { mintId } from '../core/id.ts'
import { fetchMedia } from '../gateway/fetch-media.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import { limits } from '../gateway/limits.ts'
import type { SendHttp } from '../gateway/outgoing-http.ts'
import { ReasoningMemory } from '../gateway/reasoning-memory.ts'
import { Watchdog } from '../gateway/watchdog.ts'
import { openKeyDirectory } from '../keys/key-directory.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { reasoningOfReply } from '../protocols/carry-reasoning.ts'
import { type ChangeFollower, followChanges } from '../store/change-follower.ts'
import { latestChange } from '../store/changes.ts'
import type { Vault } from '../store/vault.ts'
import { usageRecords } from '../usage/usage-records.ts'
import { keepUsageLog } from './keep-usage-log.ts'
import type { Observer } from './observe.ts'
import { type LedgerParts, openLedger } from './open-ledger.ts'
import { openResponses } from './open-responses.ts'
import { openSelfAudit, type SelfAudit } from './self-audit.ts'

export interface NodeParts extends LedgerParts {
  readonly vault: Vault
  readonly send: SendHttp
  readonly observer: Observer
  readonly brand: string
  readonly demoBaseUrl: string | undefined
  readonly responseRetentionMs: number
  /** 0 keeps the usage log for ever. */
  readonly usageRetentionMs: number
  readonly isPrivateMediaAllowed: boolean
}

/** The gateway on its database, ready to answer. */
export interface Node {
  readonly gateway: Gateway
  readonly ledger: Ledger
  readonly follower: ChangeFollower
  readonly audit: SelfAudit
  /** Ends what is still running upstream, with an honest error to its caller. */
  abortAll(): void
  close(): Promise<void>
}

/** Puts the steps of a request together: snapshots that follow the database, the ledger, the way out. */
export async function openNode(parts: NodeParts): Promise<Node> {
  const { engine, vault, clock, log, observer } = parts
  const readFrom = await latestChange(engine.db)
  const keys = await openKeyDirectory(engine, vault)
  const accounts = openAccountDirectory(engine)
  const catalog = await openCatalogDirectory(engine, vault, parts.demoBaseUrl)
  const usageLog = await keepUsageLog(parts)
  const ledger = await openLedger(parts)
  const follower = await followChanges(
    engine,
    readFrom,
    async (changes) => {
      ledger.apply(changes)
      await Promise.all([keys.apply(changes), accounts.apply(changes), catalog.apply(changes)])
    },
    (error) => log.warn('changes_not_followed', { why: String(error) }),
  )
  const audit = openSelfAudit({ engine, clock, log, random: Math.random })
  const responses = openResponses(parts)
  const reasoning = new ReasoningMemory(clock.nowMs)
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
    warningsHeader: `x-${parts.brand}-warnings`,
    countHeader: `x-${parts.brand}-token-count`,
    responses: responses.store,
    reasoning,
    inlineMedia: (url) => fetchMedia(url, { allowPrivate: parts.isPrivateMediaAllowed }),
    mint: mintId,
    remember: (exchange, events) => {
      const keyId = exchange.caller.key.id
      for (const [callId, carried] of reasoningOfReply(events))
        reasoning.keep(keyId, callId, carried)
    },
    onSettled: observer.onRecord,
    onTrouble: (exchange, fault) => observer.onTrouble(exchange.call.requestId, fault),
    recordUncharged: (record) => {
      observer.onRecord(record)
      try {
        ledger.record(usageRecords(record))
      } catch (error) {
        // The caller gets its answer, whatever the disk says.
        log.error('request_not_recorded', { requestId: record.requestId, why: String(error) })
      }
    },
  })
  return {
    gateway,
    ledger,
    follower,
    audit,
    abortAll: () => watchdog.expireAll(),
    close: async () => {
      watchdog.stop()
      await usageLog.stop()
      await responses.close()
      await follower.stop()
      await audit.close()
      await ledger.close()
    },
  }
}
