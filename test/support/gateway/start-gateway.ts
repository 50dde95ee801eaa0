import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Node, openNode } from '../../../src/app/node/open-node.ts'
import type { RecordingSettings } from '../../../src/app/node/open-recorder.ts'
import { type AccessLogSettings, openAccessLog } from '../../../src/app/observe/access-log.ts'
import { registerGauges } from '../../../src/app/observe/gauges.ts'
import { createObserver } from '../../../src/app/observe/observe.ts'
import {
  openTelemetry,
  type TelemetrySettings,
} from '../../../src/app/observe/otlp/open-telemetry.ts'
import type { Provision } from '../../../src/config/provision.ts'
import { type AddressRange, parseAddressRange } from '../../../src/core/access/address-range.ts'
import { newId } from '../../../src/core/id.ts'
import type { Durability } from '../../../src/core/runtime/durability.ts'
import { allowOrigins } from '../../../src/http-in/allow-origins.ts'
import type { BodyLimits } from '../../../src/http-in/body-reader.ts'
import { listen } from '../../../src/http-in/listen.ts'
import type { MetricsAccess } from '../../../src/http-in/metrics-access.ts'
import { createResponder, type Respond } from '../../../src/http-in/server.ts'
import { type SendHttp, sendHttp } from '../../../src/http-out/outgoing-http.ts'
import type { QueueRules } from '../../../src/routing/slot-queue.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import { openAnswer, type Question, type Reply, readReply } from './ask.ts'
import { type MoneyView, viewMoney } from './money-view.ts'
import { createMovableClock, type MovableClock } from './movable-clock.ts'
import {
  type KeyValues,
  makeDatabase,
  openDatabase,
  type TestDatabase,
  testVault,
  type UpstreamUrls,
} from './test-database.ts'
import { testProvision } from './test-provision.ts'

export interface GatewayOptions {
  readonly durability?: Durability
  readonly engine?: Engine['kind']
  readonly trustedProxies?: readonly string[]
  readonly webOrigins?: readonly string[]
  readonly bodyLimits?: Partial<BodyLimits>
  readonly metricsAccess?: MetricsAccess
  /** The limit for an idle connection and for receiving a body. */
  readonly idleSeconds?: number
  /** Adds upstreams and models for one test. */
  readonly extend?: (provision: Provision) => Provision
  readonly send?: SendHttp
  readonly mediaBytesMax?: number
  readonly isPrivateMediaAllowed?: boolean
  readonly countsCachedInput?: boolean
  /** Lets requests wait for upstreams that are full. */
  readonly queue?: QueueRules
  readonly limitsUrl?: string
  readonly limitsFallback?: 'local' | 'refuse'
  /** OpenTelemetry; absent: nothing is traced or sent. */
  readonly telemetry?: Partial<TelemetrySettings>
  readonly accessLog?: Partial<AccessLogSettings>
  readonly recording?: Partial<RecordingSettings>
  readonly readKeysAgain?: () => Promise<void>
  /** Another gateway, which shares its database and upstreams with this one. */
  readonly beside?: TestGateway
}

export interface TestGateway {
  readonly url: string
  readonly keys: KeyValues
  /** The first upstream of gpt-x, and the upstream of gpt-y. */
  readonly one: FakeUpstream
  /** The second upstream of gpt-x, and the upstream of the premium group. */
  readonly two: FakeUpstream
  readonly database: TestDatabase
  readonly engine: Engine
  readonly node: Node
  readonly clock: MovableClock
  readonly money: MoneyView
  /** Every log line, from level debug up. */
  readonly logLines: readonly string[]
  /** Requests that the server has not finished answering. */
  pending(): number
  setDraining(isDraining: boolean): void
  ask(question: Question): Promise<Reply>
  /** Returns when the answer begins; the caller reads the body. */
  open(question: Question): Promise<Response>
  stop(): Promise<void>
}

const bodyLimitsByDefault: BodyLimits = {
  bodyBytesMax: 32 * 1024 * 1024,
  bodyMs: 60_000,
  bodiesInFlightBytesMax: 256 * 1024 * 1024,
}

const telemetryOff: TelemetrySettings = {
  otlpEndpoint: undefined,
  otlpHeaders: undefined,
  otlpSignals: ['traces', 'metrics', 'logs'],
  traceSampleRate: 1,
  traceParents: 'accept',
  traceUpstreams: [],
}

const recordingOn: RecordingSettings = {
  isRecordingAllowed: true,
  recordingBodyBytesMax: 1024 ** 2,
  recordingAccountBytesMax: 256 * 1024 ** 2,
  recordingRetentionMs: 90 * 24 * 60 * 60_000,
}

const accessLogOn: AccessLogSettings = {
  accessLog: 'on',
  accessLogSampleRate: 1,
  accessLogFileBytesMax: 1024 ** 2,
  accessLogFilesMax: 2,
}

/** The whole gateway on a real socket and a real database, with two scripted upstreams behind it. */
export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const { beside } = options
  const one = beside?.one ?? (await startFakeUpstream())
  const two = beside?.two ?? (await startFakeUpstream())
  const urls = { one: one.url, two: two.url }
  const provisionFor = (at: UpstreamUrls): Provision => {
    const usual = testProvision(at)
    return options.extend?.(usual) ?? usual
  }
  const { database, engine, keys } = beside
    ? {
        database: beside.database,
        ...(await openDatabase(beside.database.url, provisionFor(urls))),
      }
    : await makeDatabase(options.engine ?? 'sqlite', urls, provisionFor)
  const journalFolder = mkdtempSync(join(tmpdir(), 'tollgate-journal-'))
  const clock = createMovableClock()
  const logLines: string[] = []
  const log = createLog({
    level: 'debug',
    nowMs: clock.nowMs,
    write: (line) => void logLines.push(line),
    tap: (event) => telemetry.onLog(event),
  })
  const metrics = new Metrics()
  const telemetry = openTelemetry(
    { ...telemetryOff, ...options.telemetry },
    {
      metrics,
      log,
      clock,
      send: sendHttp,
      version: 'test',
      replica: 'test',
      limits: { delayMs: 5, metricsEveryMs: 50, attemptMs: 2_000, endMs: 500, retryMs: () => 5 },
    },
  )
  const accessLog = openAccessLog(
    { ...accessLogOn, ...options.accessLog },
    { metrics, log, clock, tap: telemetry.onLog, share: () => 0.5, limits: { delayMs: 5 } },
  )
  const observer = createObserver(metrics, log, {
    onRecord: telemetry.onRecord,
    onServed: telemetry.onServed,
    accessLog,
  })
  const trustedProxies = readRanges(options.trustedProxies ?? [])
  const parts = { clock, log, observer, trustedProxies, vault: testVault, brand: 'gateway' }
  const node = await openNode({
    ...parts,
    engine,
    send: options.send ?? sendHttp,
    tracer: telemetry.tracer,
    journalFolder,
    replica: newId('replica'),
    demoBaseUrl: undefined,
    readKeysAgain: async () => options.readKeysAgain?.(),
    responseRetentionMs: 60 * 60_000,
    durability: options.durability ?? 'journal',
    journalBytesMax: 1024 ** 3,
    onDiskError: (error) => {
      throw error
    },
    usageRetentionMs: 0,
    recording: { ...recordingOn, ...options.recording },
    isPrivateMediaAllowed: options.isPrivateMediaAllowed ?? true,
    mediaBytesMax: options.mediaBytesMax ?? 256 * 1024 * 1024,
    limitsUrl: options.limitsUrl,
    limitsFallback: options.limitsFallback ?? 'local',
    countsCachedInput: options.countsCachedInput ?? true,
    queue: options.queue ?? { waitMs: 0, lengthMax: 1 },
    watchEveryMs: 40,
  })
  let isDraining = false
  const respond: Respond = createResponder({
    ...parts,
    gateway: node.gateway,
    console: async () => new Response('no console here\n', { status: 404 }),
    bodyLimits: { ...bodyLimitsByDefault, ...options.bodyLimits },
    notReady: () => (isDraining ? 'draining' : node.ledger.trouble?.kind),
    isLeaving: () => isDraining,
    isDraining: () => isDraining,
    renderMetrics: () => metrics.render(),
    metricsAccess: options.metricsAccess ?? { open: 'local', token: undefined },
    onFault: observer.onFault,
  })
  const address = { hostname: '127.0.0.1', port: 0 }
  const listener = listen(
    address,
    allowOrigins(respond, options.webOrigins ?? []),
    options.idleSeconds,
  )
  registerGauges(metrics, {
    version: 'test',
    listener,
    node,
    engine,
    journalFolder,
    nowMs: clock.nowMs,
  })
  const url = `http://127.0.0.1:${listener.port}`
  const open = (question: Question) => openAnswer(url, keys, question)
  return {
    url,
    keys,
    one,
    two,
    database,
    engine,
    node,
    clock,
    logLines,
    open,
    money: viewMoney(engine, () => node.ledger.shipped()),
    pending: listener.pending,
    setDraining: (value) => {
      isDraining = value
    },
    ask: async (question) => readReply(await open(question), keys),
    stop: async () => {
      await listener.stop()
      await node.close()
      await accessLog.stop()
      await telemetry.stop()
      await engine.close()
      rmSync(journalFolder, { recursive: true, force: true })
      if (beside) return
      await Promise.all([one.stop(), two.stop()])
      await database.drop()
    },
  }
}

function readRanges(texts: readonly string[]): AddressRange[] {
  return texts.map(parseAddressRange).filter((range) => range !== undefined)
}
