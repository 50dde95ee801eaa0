import { setTimeout as sleep } from 'node:timers/promises'
import { type AccountDirectory, openAccountDirectory } from '../../accounts/account-directory.ts'
import { type CatalogDirectory, openCatalogDirectory } from '../../catalog/catalog-directory.ts'
import type { Fault } from '../../core/fault.ts'
import { mintId, systemRandom } from '../../core/id.ts'
import type { ReplyEvent } from '../../core/neutral/reply-event.ts'
import { AccountSlots } from '../../core/runtime/account-slots.ts'
import type { RequestSpan, Tracer } from '../../core/telemetry/request-span.ts'
import type { Clock } from '../../core/time/clock.ts'
import { SharedObjectMemory } from '../../gateway/admit/shared-object-memory.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { fetchMedia, type MediaRequester } from '../../gateway/forward/fetch-media.ts'
import { MediaBudget } from '../../gateway/forward/media-budget.ts'
import { createGateway, type Gateway } from '../../gateway/gateway.ts'
import { limits } from '../../gateway/limits.ts'
import { ReasoningMemory } from '../../gateway/reply/reasoning-memory.ts'
import { Watchdog } from '../../gateway/reply/watchdog.ts'
import type { SendHttp } from '../../http-out/outgoing-http.ts'
import { type KeyDirectory, openKeyDirectory } from '../../keys/key-directory.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { reasoningOfReply } from '../../protocols/fit/carry-reasoning.ts'
import type { Recorder } from '../../recording/recorder.ts'
import type { CredentialHealth } from '../../routing/credential-health.ts'
import { Routing } from '../../routing/routing.ts'
import type { QueueRules } from '../../routing/slot-queue.ts'
import { type ChangeFollower, followChanges } from '../../store/changes/change-follower.ts'
import { type Change, latestChange } from '../../store/changes/changes.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import { RepeatedErrors } from '../../telemetry/repeated-errors.ts'
import type { UsageRecord } from '../../usage/usage-record.ts'
import { usageRecords } from '../../usage/usage-records.ts'
import type { Observer } from '../observe/observe.ts'
import { openUpstreamTools, type UpstreamTools } from '../upstreams/upstream-tools.ts'
import { warnUnboundCredentials } from '../upstreams/warn-unbound-credentials.ts'
import { maintainUsageLog } from './maintain-usage-log.ts'
import { type LedgerDeps, openLedger } from './open-ledger.ts'
import { type LimitsSettings, type OpenLimits, openLimits } from './open-limits.ts'
import { openRecorder, type RecordingSettings } from './open-recorder.ts'
import { openResponses } from './open-responses.ts'
import { openSelfAudit, type SelfAudit } from './self-audit.ts'

export interface NodeDeps extends LedgerDeps, LimitsSettings {
  readonly vault: Vault
  /** Called at the start, and when the secret of the database is being rotated. */
  readonly readKeysAgain?: () => Promise<void>
  readonly send: SendHttp
  readonly observer: Observer
  /** Undefined when no request is traced. */
  readonly tracer?: Tracer | undefined
  readonly brand: string
  readonly demoBaseUrl: string | undefined
  readonly responseRetentionMs: number
  /** 0 keeps the request log forever. */
  readonly usageRetentionMs: number
  readonly recording: RecordingSettings
  readonly isPrivateMediaAllowed: boolean
  /** Interval of the watchdog; shorter in tests. */
  readonly watchEveryMs?: number
  /** Limit for fetched media of all requests together, as base64. */
  readonly mediaBytesMax: number
  /** Whether cached input counts towards rate limits. */
  readonly countsCachedInput: boolean
  /** Whether and how long requests wait for upstreams that are full. */
  readonly queue: QueueRules
}

const operatorTokenBytes = 32

/** The gateway on its database, ready to answer. */
export interface Node {
  readonly gateway: Gateway
  /** The value of the explain header that requests the operator's explanation. */
  readonly operatorToken: string
  readonly ledger: Ledger
  readonly follower: ChangeFollower
  readonly audit: SelfAudit
  readonly routing: Routing
  readonly upstreams: UpstreamTools
  readonly mediaBudget: MediaBudget
  openBreakers(): number
  /** Credentials that their upstreams reject. */
  deadCredentials(): ReadonlySet<Pick<CredentialHealth, 'value'>>
  /** Responses that are still read after their clients disconnected. */
  disconnectedReads(): number
  readonly recorder: Recorder
  readonly rateLimits: OpenLimits
  /** Aborts running upstream requests and sends an error to their clients. */
  abortAll(): void
  close(withinMs?: number): Promise<void>
}

/** Reloads the keys of the vault first, because the other changes may need them. */
async function followSecret(
  { readKeysAgain }: Pick<NodeDeps, 'readKeysAgain'>,
  changes: readonly Change[],
): Promise<void> {
  if (changes.some(({ topic }) => topic === 'secret')) await readKeysAgain?.()
}

interface Followers {
  readonly keys: KeyDirectory
  readonly accounts: AccountDirectory
  readonly catalog: CatalogDirectory
  readonly ledger: Awaited<ReturnType<typeof openLedger>>
  readonly routing: Routing
}

/** Applies changes in the database to everything that requests look up in memory. */
function followDatabase(
  deps: NodeDeps,
  readFrom: Awaited<ReturnType<typeof latestChange>>,
  { keys, accounts, catalog, ledger, routing }: Followers,
) {
  const warnUnbound = warnUnboundCredentials(deps.log)
  warnUnbound(catalog.snapshot())
  return followChanges(
    deps.engine,
    readFrom,
    async (changes) => {
      await followSecret(deps, changes)
      ledger.apply(changes)
      await Promise.all([keys.apply(changes), accounts.apply(changes), catalog.apply(changes)])
      routing.health.follow(catalog.snapshot())
      warnUnbound(catalog.snapshot())
    },
    (error) => deps.log.warn('changes_not_followed', { why: String(error) }),
  )
}

/** Assembles the parts that requests need: snapshots that follow the database, the ledger, outgoing connections. */
export async function openNode(deps: NodeDeps): Promise<Node> {
  const { engine, clock, observer } = deps
  const readFrom = await latestChange(engine.db)
  // A rotation that began after the vault was opened, and before this number was read, is not announced again.
  await deps.readKeysAgain?.()
  const accounts = openAccountDirectory(engine)
  const [keys, catalog, usageLog, ledger, rateLimits] = await openTogether(deps)
  const routing = new Routing(observer.routing, Math.random, deps.queue)
  const follower = followDatabase(deps, readFrom, { keys, accounts, catalog, ledger, routing })
  const { audit, responses, recorder } = openKeepers(deps)
  const watchdog = new Watchdog(clock, deps.watchEveryMs ?? limits.watchEveryMs)
  const disconnectedReads = new AccountSlots(limits.readersMax, limits.readersPerAccountMax)
  const upstreams = openUpstreamTools({ catalog, send: deps.send, clock, routing })
  const headers = headerNames(deps.brand)
  const media = mediaParts(deps)
  const gateway = createGateway({
    keys,
    accounts,
    catalog,
    ledger,
    clock,
    watchdog,
    disconnectedReads,
    counts: new AccountSlots(limits.countsMax, limits.countsPerAccountMax),
    send: deps.send,
    routing,
    limiter: rateLimits.limiter,
    countsCachedInput: deps.countsCachedInput,
    pause: (ms) => sleep(ms),
    ...headers,
    responses: responses.store,
    recorder,
    ...memories(clock),
    ...media,
    mint: mintId,
    ...reports(deps),
    recordUncharged: uncharged(ledger, deps),
  })
  return {
    gateway,
    operatorToken: headers.operatorToken,
    ledger,
    follower,
    audit,
    routing,
    upstreams,
    mediaBudget: media.mediaBudget,
    rateLimits,
    openBreakers: () => routing.health.openBreakers(clock.monotonicMs()),
    deadCredentials: () => routing.health.deadCredentials(catalog.snapshot()),
    disconnectedReads: () => disconnectedReads.total,
    recorder,
    abortAll: () => watchdog.expireAll(),
    close: async (withinMs) => {
      watchdog.stop()
      for (const part of [rateLimits, upstreams, usageLog]) await part.stop()
      await Promise.all([responses.close(), recorder.close()])
      await follower.stop()
      await audit.close()
      await ledger.close(withinMs)
    },
  }
}

/** The parts that use the database in the background. */
function openKeepers(deps: NodeDeps) {
  const { engine, clock, log } = deps
  return {
    audit: openSelfAudit({ engine, clock, log, random: Math.random }),
    responses: openResponses(deps),
    recorder: openRecorder(deps),
  }
}

/** Independent reads, run in parallel because the database may be far away. */
function openTogether(deps: NodeDeps) {
  const { engine, vault, observer } = deps
  return Promise.all([
    openKeyDirectory(engine, vault),
    openCatalogDirectory(engine, vault, deps.demoBaseUrl),
    maintainUsageLog(deps),
    openLedger(deps),
    openLimits({ ...deps, onUnshared: observer.onUnshared }),
  ])
}

function reports({ observer, tracer }: NodeDeps) {
  return {
    tracer,
    onSettled: observer.onRecord,
    onRetryDenied: observer.routing.retryDenied,
    onQueued: observer.routing.queued,
    onLimitReached: observer.onLimitReached,
    onCredentialLimited: observer.onCredentialLimited,
    onUpstreamFault: (exchange: Exchange, fault: Fault) =>
      observer.onUpstreamFault(exchange.call.requestId, fault),
  }
}

/** State in memory that later requests use. */
function memories({ nowMs }: Clock) {
  const reasoning = new ReasoningMemory(nowMs)
  return {
    reasoning,
    sharedObjects: new SharedObjectMemory(nowMs),
    remember: (exchange: Exchange, events: readonly ReplyEvent[]) =>
      rememberReasoning(reasoning, exchange, events),
  }
}

function mediaParts({ send, isPrivateMediaAllowed, mediaBytesMax }: NodeDeps) {
  return {
    fetchMediaFile: (url: string, requester: MediaRequester) =>
      fetchMedia(url, send, { allowPrivate: isPrivateMediaAllowed }, requester),
    mediaBudget: new MediaBudget(mediaBytesMax),
  }
}

function headerNames(brand: string) {
  return {
    costHeader: `x-${brand}-cost`,
    queueHeader: `x-${brand}-queue-ms`,
    warningsHeader: `x-${brand}-warnings`,
    modelHeader: `x-${brand}-model`,
    explainHeader: `x-${brand}-explain`,
    countHeader: `x-${brand}-token-count`,
    operatorToken: Buffer.from(systemRandom(operatorTokenBytes)).toString('base64url'),
  }
}

function rememberReasoning(
  reasoning: ReasoningMemory,
  { caller }: Exchange,
  events: readonly ReplyEvent[],
): void {
  for (const [callId, carried] of reasoningOfReply(events))
    reasoning.keep(caller.key.id, callId, carried)
}

/** A failed usage row must not fail the response. */
function uncharged(
  ledger: Ledger,
  { observer, log, clock }: Pick<NodeDeps, 'observer' | 'log' | 'clock'>,
): (record: UsageRecord, span: RequestSpan | undefined) => void {
  const errors = new RepeatedErrors(log, clock.monotonicMs)
  return (record, span) => {
    observer.onRecord(record, undefined, span)
    try {
      ledger.record(usageRecords(record))
    } catch (error) {
      observer.onUnrecorded()
      errors.log('request_not_recorded', error)
    }
  }
}
