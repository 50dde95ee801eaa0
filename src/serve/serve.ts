import { hostname } from 'node:os'
import { makeJournalFolder } from '../cli/make-journal-folder.ts'
import { openDatabase } from '../cli/open-database.ts'
import { CommandProblem } from '../cli/usage-problem.ts'
import type { Config } from '../config/config.ts'
import { systemClock } from '../core/clock.ts'
import { newId, systemRandom } from '../core/id.ts'
import { sendHttp } from '../gateway/outgoing-http.ts'
import { provisionAtStart, type StartingPoint } from '../provision/provision-at-start.ts'
import { allowOrigins } from '../server/allow-origins.ts'
import type { BodyLimits } from '../server/body-reader.ts'
import { ConnectionLimits } from '../server/connection-limits.ts'
import { giveMemoryBack } from '../server/give-memory-back.ts'
import { type Listener, listen } from '../server/listen.ts'
import { mainMetricsAccess } from '../server/metrics-access.ts'
import { createResponder, type Respond } from '../server/server.ts'
import { hashPassword, isPasswordOf } from '../store/password.ts'
import { bufferedWriter } from '../telemetry/buffered-writer.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { vendors } from '../vendors/index.ts'
import { renderBanner } from './banner.ts'
import { baseUrlOf } from './base-url.ts'
import { drain } from './drain.ts'
import { registerGauges } from './gauges.ts'
import { lateConsole } from './late-console.ts'
import { listenMetrics, tellOfPrivateMetrics } from './listen-metrics.ts'
import { createObserver } from './observe.ts'
import type { ConsoleNeeds } from './open-console.ts'
import { type Node, openNode } from './open-node.ts'
import { findSampleModel } from './sample-model.ts'
import { makeSignInUrl } from './sign-in-url.ts'
import type { StopSignals } from './stop-signals.ts'

const bodyMs = 60_000

type SharedNeeds = Pick<
  ConsoleNeeds,
  'engine' | 'vault' | 'clock' | 'log' | 'replica' | 'journalFolder'
>

export interface ServeWorld {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly version: string
  readonly signals: StopSignals
  /** The folder of the built console. */
  readonly consoleFolder: string
}

/** Runs the gateway until it is told to stop. */
export async function serve(config: Config, world: ServeWorld): Promise<number> {
  const clock = systemClock
  const log = createLog({
    level: config.logLevel,
    nowMs: clock.nowMs,
    write: bufferedWriter(world.stderr),
  })
  const journalFolder = makeJournalFolder(config)
  const { engine, vault } = await openDatabase(config, clock.nowMs())
  const demo = config.demo === 'off' ? undefined : await listenDemo()
  try {
    const tools = { vault, random: systemRandom, nowMs: clock.nowMs, hashPassword, isPasswordOf }
    const start = await provisionAtStart(engine, tools, config, vendors)
    // The same words as those of a process that stops: whoever spreads requests asks another one.
    let respond: Respond = async () =>
      new Response('starting\n', { status: 503, headers: { 'retry-after': '1' } })
    const respondNow: Respond = (...call) => respond(...call)
    const listener = listen(config.listen, respondNow)
    const metrics = new Metrics()
    const replica = config.replica ?? replicaName(config, listener)
    const broken = Promise.withResolvers<never>()
    const observer = createObserver(metrics, log)
    const shared = { engine, vault, clock, log, replica, journalFolder }
    const node = await openNode({
      ...shared,
      observer,
      send: sendHttp,
      brand: config.brand,
      demoBaseUrl: demo && `http://127.0.0.1:${demo.port}/v1`,
      responseRetentionMs: config.responseRetentionMs,
      durability: config.durability,
      journalBytesMax: config.journalBytesMax,
      onDiskError: (error) => broken.reject(new CommandProblem(diskSentence(journalFolder, error))),
      usageRetentionMs: config.usageRetentionMs,
      isPrivateMediaAllowed: config.isPrivateMediaAllowed,
      mediaBytesMax: config.mediaBytesMax,
    })
    registerGauges(metrics, {
      version: world.version,
      listener,
      node,
      journalFolder,
      nowMs: clock.nowMs,
    })
    const edge = openEdge(config, listener, log, metrics)
    const state = { isDraining: false }
    const answer = createResponder({
      gateway: node.gateway,
      console: consoleOf(config, world, { shared, node, hasDemo: demo !== undefined }, respondNow),
      clock,
      brand: config.brand,
      trustedProxies: config.trustedProxies,
      bodyLimits: bodyLimitsOf(config),
      notReadyWhy: () => (state.isDraining ? 'draining' : node.ledger.trouble?.kind),
      isDraining: () => state.isDraining,
      renderMetrics: () => metrics.render(),
      metricsAccess: mainMetricsAccess(config),
      onFault: observer.onFault,
    })
    respond = allowOrigins(answer, config.webOrigins)
    await announce(config, world, { engine, vault, listener, start })
    giveMemoryBack()
    await Promise.race([world.signals.first, broken.promise])
    state.isDraining = true
    return await stop(world, { config, log, listener, node, edge })
  } finally {
    await demo?.stop()
    await engine.close()
  }
}

function consoleOf(
  config: Config,
  { version, consoleFolder }: ServeWorld,
  parts: { shared: SharedNeeds; node: Node; hasDemo: boolean },
  forward: Respond,
) {
  return lateConsole({
    ...parts.shared,
    config,
    node: parts.node,
    version,
    consoleFolder,
    startedAtMs: systemClock.nowMs(),
    hasDemo: parts.hasDemo,
    forward,
  })
}

function bodyLimitsOf({ bodyBytesMax, bodiesInFlightBytesMax }: Config): BodyLimits {
  return { bodyBytesMax, bodyMs, bodiesInFlightBytesMax }
}

/** What stands beside the listener: the port of the metrics, and the limits on connections. */
interface Edge {
  stop(): Promise<void>
}

function openEdge(config: Config, listener: Listener, log: Log, metrics: Metrics): Edge {
  const renderMetrics = () => metrics.render()
  const own = listenMetrics(config, { nowMs: systemClock.nowMs, renderMetrics })
  tellOfPrivateMetrics(config, log)
  const connections = new ConnectionLimits({
    port: listener.port,
    perAddressMax: config.connectionsPerAddressMax,
    max: config.connectionsMax,
    trustedProxies: config.trustedProxies,
    onClosed: ({ count, reason }) => log.warn('closed connections', { count, reason }),
  })
  return {
    stop: async () => {
      connections.stop()
      await own?.stop()
    },
  }
}

/** A sync that has failed once may hide that later ones fail as well: only a new start tells what is there. */
function diskSentence(folder: string, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  return `The journal in ${folder} cannot be written any more (${why}). Look after the disk and start again: what was settled is there.`
}

/** The demo upstream listens on a loopback port of its own, like any other upstream. */
async function listenDemo(): Promise<Listener> {
  const { createDemoUpstream } = await import('../demo/demo-upstream.ts')
  const answer = createDemoUpstream({})
  return listen({ hostname: '127.0.0.1', port: 0 }, (request) => answer(request))
}

/** One identity per machine and port: after a restart it is the same, and finds what it left behind. */
function replicaName(config: Config, listener: Listener): string {
  return config.listen.port === 0 ? newId('replica') : `${hostname()}:${listener.port}`
}

async function announce(
  config: Config,
  world: ServeWorld,
  parts: { listener: Listener; start: StartingPoint } & Pick<
    Awaited<ReturnType<typeof openDatabase>>,
    'engine' | 'vault'
  >,
): Promise<void> {
  const { engine, vault, listener, start } = parts
  const baseUrl = baseUrlOf(listener)
  const link = { engine, vault, random: systemRandom, nowMs: systemClock.nowMs() }
  world.stdout(
    renderBanner({
      baseUrl,
      database: config.inForce.find(({ name }) => name === 'database')?.text ?? '',
      signInUrl: await makeSignInUrl(link, start.admin.id, baseUrl),
      localKey: start.localKey,
      sampleModel: await findSampleModel(engine),
      isDemo: start.isDemoInForce,
      notes: start.applied.warnings,
    }),
  )
}

async function stop(
  world: ServeWorld,
  parts: { config: Config; log: Log; listener: Listener; node: Node; edge: Edge },
): Promise<number> {
  const { config, log, listener, node, edge } = parts
  const pending = listener.pending()
  if (pending > 0)
    world.stderr(`Stopping: waiting for ${pending} requests; Ctrl-C again ends them now.\n`)
  log.info('draining', { pending })
  await drain(
    { listener, node, log, drainMs: config.drainMs, monotonicMs: systemClock.monotonicMs },
    world.signals.isHurried,
  )
  await edge.stop()
  log.info('stopped')
  return 0
}
