import type { Config } from '../config/config.ts'
import type { ReferencedSecrets } from '../config/referenced-secrets.ts'
import { systemRandom } from '../core/id.ts'
import { plural } from '../core/text/plural.ts'
import { systemClock } from '../core/time/clock.ts'
import { allowOrigins } from '../http-in/allow-origins.ts'
import type { BodyLimits } from '../http-in/body-reader.ts'
import { ConnectionLimits } from '../http-in/connection-limits.ts'
import { type Listener, listen } from '../http-in/listen.ts'
import { mainMetricsAccess } from '../http-in/metrics-access.ts'
import { releaseMemory } from '../http-in/release-memory.ts'
import { createResponder, type Respond } from '../http-in/server.ts'
import { sendHttp } from '../http-out/outgoing-http.ts'
import { provisionAtStart } from '../provision/provision-at-start.ts'
import { type Engine, forBackgroundWork } from '../store/engine.ts'
import { noteSecret, type OpenVault } from '../store/secrets/open-vault.ts'
import { hashPassword, isPasswordOf } from '../store/secrets/password.ts'
import { bufferedWriter } from '../telemetry/buffered-writer.ts'
import { createLog, type Log, type LogFields } from '../telemetry/log.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { vendors } from '../vendors/index.ts'
import { CommandProblem } from './command-problem.ts'
import { lazyConsole } from './console/lazy-console.ts'
import type { OpenConsoleDeps } from './console/open-console.ts'
import { openDatabase } from './database/open-database.ts'
import { makeJournalFolder } from './node/make-journal-folder.ts'
import { type Node, openNode } from './node/open-node.ts'
import { type NoticeDeps, openNotices } from './notices/open-notices.ts'
import { registerGauges } from './observe/gauges.ts'
import { type LogTap, type Observation, openObservation } from './observe/open-observation.ts'
import type { LiveConfig } from './secrets/adopt-secret.ts'
import { openSecrets } from './secrets/open-secrets.ts'
import { logPrivateMetrics } from './start/listen-metrics.ts'
import { openClock } from './start/open-clock.ts'
import { type Listeners, openListeners } from './start/open-listeners.ts'
import { startBanner } from './start/start-banner.ts'
import { drain } from './stop/drain.ts'
import { lameDuck } from './stop/lame-duck.ts'
import type { StopSignal, StopSignals } from './stop/stop-signals.ts'
import type { StopOrder } from './workers/messages.ts'
import { registerRestarts } from './workers/register-restarts.ts'
import { shareListeners } from './workers/share-listeners.ts'
import type { WorkerLink } from './workers/worker-link.ts'

const bodyMs = 60_000

type SharedNeeds = Pick<
  OpenConsoleDeps,
  'engine' | 'vault' | 'clock' | 'log' | 'replica' | 'journalFolder'
>

export interface ServeEnvironment {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly version: string
  readonly signals: StopSignals<StopSignal | StopOrder>
  /** The supervisor, if this process is one of several workers. */
  readonly worker?: WorkerLink
  /** The folder of the built console. */
  readonly consoleFolder: string
  /** The secrets of the configuration that can change while the gateway runs. */
  readonly secrets?: ReferencedSecrets
  /** Calls the listener when an operator asks to read these secrets again. */
  readonly onReread?: (listener: () => void) => void
}

/** Runs the gateway until it is asked to stop. */
export async function serve(config: Config, environment: ServeEnvironment): Promise<number> {
  const { worker, version } = environment
  const logged: LogTap = { onLog: () => undefined }
  const live: LiveConfig = { config }
  const opened = begin(live, environment, logged)
  const { log, journalFolder, metrics, renderMetrics, listeners } = opened
  const closing: Closing[] = [() => listeners.close()]
  try {
    const { engine, vault, clock, start } = await prepare(config, environment, log, closing)
    const demo = config.demo === 'off' ? undefined : await listenDemo()
    closing.unshift(async () => demo?.stop())
    const { listener, replica } = listeners
    if (worker?.role.greets === false) logNotes(start.applied.warnings, log)
    const banner = startBanner(config, worker, {
      engine: forBackgroundWork(engine),
      vault,
      clock,
      listener,
      start,
    })
    // The rejection is handled where the promise is awaited.
    banner.catch(() => undefined)
    const broken = Promise.withResolvers<never>()
    const shared = { engine, vault, clock, log, replica, journalFolder }
    const observing = { ...shared, metrics, logged, version, always: numberOf(worker) }
    const observation = openObservation(live, observing)
    const { observer } = observation
    const node = await openNode({
      ...shared,
      observer,
      readKeysAgain: () => readKeysAgain(shared),
      tracer: observation.tracer,
      send: sendHttp,
      ...nodeSettings(config),
      demoBaseUrl: demo && `http://127.0.0.1:${demo.port}/v1`,
      onDiskError: (error) => broken.reject(new CommandProblem(diskSentence(journalFolder, error))),
    })
    registerGauges(metrics, { ...shared, version, listener, node, nowMs: clock.nowMs })
    const edge = openEdge(live, listeners, { ...shared, metrics, node }, environment)
    const state: Leaving = { isLeaving: false, isReplaced: false, isDraining: false }
    const ownProblem = () => notReady(engine, node, state)
    const inside = { shared, node, hasDemo: demo !== undefined, port: listener.port }
    const desk = consoleOf(live, environment, inside, (...call) => respond(...call))
    closing.unshift(() => desk.settled())
    const answer: Respond = createResponder({
      gateway: node.gateway,
      console: desk.answer,
      clock,
      brand: config.brand,
      trustedProxies: config.trustedProxies,
      bodyLimits: bodyLimitsOf(config),
      notReady: () => ownProblem() ?? worker?.groupProblem(),
      isLeaving: () => state.isLeaving,
      isDraining: () => state.isDraining,
      renderMetrics,
      get metricsAccess() {
        return mainMetricsAccess(live.config)
      },
      onFault: observer.onFault,
    })
    const respond = allowOrigins(answer, config.webOrigins)
    listeners.answerWith(respond)
    if (worker) worker.serving(await banner, ownProblem)
    else environment.stdout(await banner)
    releaseMemory()
    await Promise.race([leave(config, environment, { log, listener, state }), broken.promise])
    return await stop(environment, { config, log, listener, node, edge, state, observation })
  } finally {
    for (const close of closing) await close()
  }
}

/** Reads the keys again, and records which secret this replica uses if the secret was ever rotated. */
async function readKeysAgain({
  engine,
  vault,
  replica,
}: Pick<SharedNeeds, 'engine' | 'replica'> & { vault: OpenVault }): Promise<void> {
  await vault.reload()
  if (vault.ring.currentId !== '') await noteSecret(engine.backgroundDb, replica, vault.secretId)
}

/** Takes the name, and the ports unless they are shared. No other process may have them. */
function begin(live: LiveConfig, { stderr, worker }: ServeEnvironment, logged: LogTap) {
  const { config } = live
  const log = createLog({
    level: config.logLevel,
    nowMs: systemClock.nowMs,
    write: bufferedWriter(stderr),
    always: numberOf(worker),
    tap: (event) => logged.onLog(event),
  })
  const journalFolder = makeJournalFolder(config)
  const metrics = new Metrics()
  registerRestarts(metrics)
  worker?.shareMetrics(() => metrics.read())
  const renderMetrics = () => worker?.collectMetrics() ?? metrics.render()
  const metricsToken = () => live.config.metricsToken
  const parts = { nowMs: systemClock.nowMs, renderMetrics, metricsToken }
  const listeners = worker
    ? shareListeners(config, worker.role, parts)
    : openListeners(config, parts)
  return { log, journalFolder, metrics, renderMetrics, listeners }
}

/** The field of every log line that names the worker. */
function numberOf(worker: WorkerLink | undefined): LogFields | undefined {
  return worker && { worker: worker.role.number }
}

interface Leaving {
  isLeaving: boolean
  /** Another worker has taken over: the gateway as a whole stays ready, and nothing is refused here. */
  isReplaced: boolean
  isDraining: boolean
}

/** Waits for a stop signal, and then for load balancers to notice. */
async function leave(
  config: Config,
  { signals }: ServeEnvironment,
  { log, listener, state }: { log: Log; listener: Listener; state: Leaving },
): Promise<void> {
  const signal = await signals.first
  state.isReplaced = signal === 'replaced'
  state.isLeaving = true
  if (state.isReplaced) await listener.stopAccepting()
  if (signal !== 'SIGINT') await lameDuck(config.lameDuckMs, signals, log)
  state.isDraining = !state.isReplaced
}

type Closing = () => Promise<void>

/** The migrated and provisioned database, and the earliest possible current time. */
async function prepare(
  config: Config,
  environment: ServeEnvironment,
  log: Log,
  closing: Closing[],
) {
  const { engine, vault, notes } = await openDatabase(config, systemClock.nowMs())
  closing.unshift(() => engine.close())
  const background = forBackgroundWork(engine)
  const clock = await openClock(background, log)
  const tools = { vault, random: systemRandom, nowMs: clock.nowMs, hashPassword, isPasswordOf }
  const start = await provisionAtStart(background, tools, config, vendors, environment.version)
  const applied = { ...start.applied, warnings: [...notes, ...start.applied.warnings] }
  return { engine, vault, clock, start: { ...start, applied } }
}

/** The notes of a start that prints no banner, such as after a reload. */
function logNotes(notes: readonly string[], log: Log): void {
  for (const why of notes) log.warn('start_note', { why })
}

function consoleOf(
  live: LiveConfig,
  { version, consoleFolder, worker }: ServeEnvironment,
  parts: { shared: SharedNeeds; node: Node; hasDemo: boolean; port: number },
  forward: Respond,
) {
  return lazyConsole({
    ...parts.shared,
    live,
    config: live.config,
    node: parts.node,
    version,
    consoleFolder,
    workers: worker?.role.workers ?? 1,
    startedAtMs: systemClock.nowMs(),
    hasDemo: parts.hasDemo,
    port: parts.port,
    forward,
  })
}

function nodeSettings(config: Config) {
  return {
    brand: config.brand,
    responseRetentionMs: config.responseRetentionMs,
    durability: config.durability,
    journalBytesMax: config.journalBytesMax,
    usageRetentionMs: config.usageRetentionMs,
    recording: config,
    isPrivateMediaAllowed: config.isPrivateMediaAllowed,
    mediaBytesMax: config.mediaBytesMax,
    limitsUrl: config.limits,
    limitsFallback: config.limitsFallback,
    countsCachedInput: config.rateLimitCachedInput === 'count',
    queue: { waitMs: config.queueMs, lengthMax: config.queueLengthMax },
  }
}

function bodyLimitsOf({ bodyBytesMax, bodiesInFlightBytesMax }: Config): BodyLimits {
  return { bodyBytesMax, bodyMs, bodiesInFlightBytesMax }
}

/** Leases and caches bridge a shorter outage. After this time other replicas should get the requests. */
const databaseGraceMs = 5_000

function notReady(engine: Engine, { ledger }: Node, state: Leaving): string | undefined {
  if (state.isLeaving && !state.isReplaced) return 'draining'
  if (ledger.trouble) return ledger.trouble.kind
  return engine.outOfReachMs() > databaseGraceMs ? 'database out of reach' : undefined
}

/** The metrics port, the connection limits, outgoing messages and secrets of files and programs. */
interface Edge {
  stop(): Promise<void>
}

function openEdge(
  live: LiveConfig,
  { listener, stopMetrics }: Listeners,
  deps: NoticeDeps & { readonly node: Node },
  { secrets: referenced, onReread }: ServeEnvironment,
): Edge {
  const { config } = live
  const { log } = deps
  logPrivateMetrics(config, log)
  const notices = openNotices(live, deps)
  const secrets = openSecrets(referenced, { ...deps, live })
  onReread?.(secrets.readAll)
  const connections = new ConnectionLimits({
    port: listener.port,
    perAddressMax: config.connectionsPerAddressMax,
    max: config.connectionsMax,
    trustedProxies: config.trustedProxies,
    onClosed: ({ count, reason }) => log.warn('connections_closed', { count, reason }),
  })
  return {
    stop: async () => {
      await secrets.stop()
      await notices.stop()
      connections.stop()
      await stopMetrics()
    },
  }
}

/** After a failed fsync, later syncs may report success wrongly. Only a restart shows what is on disk. */
function diskSentence(folder: string, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  return `Cannot write the journal in ${folder} (${why}). Repair the disk or free some space, then restart the gateway. Settled requests are safe.`
}

/** The demo upstream listens on a loopback port of its own, like any other upstream. */
async function listenDemo(): Promise<Listener> {
  const { createDemoUpstream } = await import('../demo/upstream/demo-upstream.ts')
  const answer = createDemoUpstream({})
  return listen({ hostname: '127.0.0.1', port: 0 }, (request) => answer(request))
}

async function stop(
  environment: ServeEnvironment,
  parts: {
    config: Config
    log: Log
    listener: Listener
    node: Node
    edge: Edge
    state: Leaving
    observation: Observation
  },
): Promise<number> {
  const { config, log, listener, node, edge, state, observation } = parts
  const pending = listener.pending()
  if (pending > 0 && !state.isReplaced)
    environment.stderr(
      `Stopping: waiting for ${plural(pending, 'request')}. Press Ctrl-C again to stop now.\n`,
    )
  log.info('draining', { pending })
  await drain(
    { listener, node, log, drainMs: config.drainMs, monotonicMs: systemClock.monotonicMs },
    environment.signals.isInterruptedTwice,
  )
  await edge.stop()
  log.info('stopped')
  await observation.stop()
  await environment.worker?.leave()
  return 0
}
