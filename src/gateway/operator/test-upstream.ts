import {
  type CatalogSnapshot,
  type Credential,
  priceAt,
  type Route,
  type Upstream,
} from '../../catalog/catalog-snapshot.ts'
import { Fault } from '../../core/fault.ts'
import type { Nano } from '../../core/money/money.ts'
import { costOf } from '../../core/money/price.ts'
import type { TokenUsage } from '../../core/money/usage.ts'
import { foldReply } from '../../core/neutral/fold-reply.ts'
import { isProtocolName, type ProtocolName } from '../../core/neutral/protocol-name.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { SendHttp } from '../../http-out/outgoing-http.ts'
import { protocols } from '../../protocols/index.ts'
import { plainReplies, type ReplyTraits } from '../../protocols/reply-traits.ts'
import { vendors } from '../../vendors/index.ts'
import type { Vendor } from '../../vendors/vendor.ts'
import { smallRequest } from '../admit/small-request.ts'
import {
  needsCredential,
  problemOf,
  protocolNotSupported,
  type UpstreamProblem,
} from '../forward/upstream-problem.ts'
import { limits } from '../limits.ts'

export interface TestDeps {
  readonly send: SendHttp
  readonly clock: Clock
}

export interface TestRequest {
  /** The upstream's name of the model; undefined for the model of its first route. */
  readonly upstreamModel: string | undefined
  /** Undefined for every protocol that the upstream is called in. */
  readonly protocol: string | undefined
}

/** The result of one small request. */
export interface UpstreamTest {
  readonly protocol: ProtocolName
  readonly model: string
  /** The displayable part of the credential that was used; undefined when there was none. */
  readonly credential: string | undefined
  /** Undefined when there was no response. */
  readonly status: number | undefined
  /** The text of the model's answer. */
  readonly text: string | undefined
  readonly problem: UpstreamProblem | undefined
  readonly totalMs: number
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  /** The cost for a client. The test itself is not charged. Undefined without a price. */
  readonly costNano: Nano | undefined
}

/** Enough for a model that reasons briefly first. */
const outputTokensMax = 128
const textLengthMax = 2_000
/** A person waits, so this many of an upstream's credentials are tested at the same time. */
const credentialsAtOnce = 8
const defaultGroup = 'default'
const decoder = new TextDecoder()

/**
 * Sends one small request with each credential in each protocol. The requests are not charged and not counted in
 * statistics. The results are in the order of the credentials.
 */
export async function testUpstream(
  catalog: CatalogSnapshot,
  upstreamId: string,
  request: TestRequest,
  deps: TestDeps,
): Promise<UpstreamTest[]> {
  const upstream = catalog.upstreams.get(upstreamId)
  if (!upstream) throw new Fault('not_found', `There is no upstream "${upstreamId}".`)
  const vendor = vendors.get(upstream.vendor)
  const route = findRoute(catalog, upstreamId, request.upstreamModel)
  const model = request.upstreamModel ?? route?.upstreamModel
  if (model === undefined) {
    throw new Fault('invalid_request', `The upstream "${upstreamId}" serves no model; name one.`)
  }
  const { credentials } = upstream
  const shown = credentials.length === 0 ? [undefined] : credentials
  const supported = vendor ? protocolsOf(vendor, upstream, request.protocol) : []
  const tests: UpstreamTest[] = []
  for (let from = 0; from < shown.length; from += credentialsAtOnce) {
    const some = shown.slice(from, from + credentialsAtOnce)
    const results = await Promise.all(
      some.map((credential) =>
        testWith({ catalog, upstream, credential, model, route }, supported, deps),
      ),
    )
    tests.push(...results.flat())
  }
  return tests
}

/** One protocol after another, so that a slow upstream never gets two requests with one credential at once. */
async function testWith(
  params: Omit<OneTest, 'protocol'>,
  supported: readonly ProtocolName[],
  deps: TestDeps,
): Promise<UpstreamTest[]> {
  const tests: UpstreamTest[] = []
  for (const protocol of supported) tests.push(await testOne({ ...params, protocol }, deps))
  return tests
}

function protocolsOf(
  vendor: Vendor,
  { protocol }: Upstream,
  requested: string | undefined,
): readonly ProtocolName[] {
  if (requested !== undefined) return vendor.protocols.filter((each) => each === requested)
  return isProtocolName(protocol) ? [protocol] : vendor.native
}

/** A route in the default group if there is one, otherwise the first route. */
function findRoute(
  { routes }: CatalogSnapshot,
  upstreamId: string,
  upstreamModel: string | undefined,
): Route | undefined {
  const leading = [...routes.values()]
    .flatMap((byModel) => [...byModel.values()].flat())
    .filter((route) => route.upstream.id === upstreamId)
    .filter((route) => upstreamModel === undefined || route.upstreamModel === upstreamModel)
  return leading.find(({ groupId }) => groupId === defaultGroup) ?? leading[0]
}

interface OneTest {
  readonly catalog: CatalogSnapshot
  readonly upstream: Upstream
  readonly credential: Credential | undefined
  readonly protocol: ProtocolName
  readonly model: string
  readonly route: Route | undefined
}

async function testOne(one: OneTest, deps: TestDeps): Promise<UpstreamTest> {
  const { upstream, credential, protocol, model, route } = one
  const startedMs = deps.clock.monotonicMs()
  let status: number | undefined
  const resultOf = (found: Partial<UpstreamTest>): UpstreamTest => ({
    protocol,
    model,
    credential: credential && shownName(credential),
    status,
    text: undefined,
    problem: undefined,
    totalMs: Math.round(deps.clock.monotonicMs() - startedMs),
    inputTokens: undefined,
    outputTokens: undefined,
    costNano: undefined,
    ...found,
  })
  const vendor = vendors.get(upstream.vendor)
  if (upstream.needsCredential) return resultOf({ problem: needsCredential })
  const signal = AbortSignal.timeout(Math.min(upstream.timeouts.wholeMs, limits.testMs))
  const params = { upstream, credential, protocol, outputTokensMax, upstreamModel: model }
  const outgoing =
    vendor && smallRequest({ ...params, vendor, parameters: route?.parameters }, signal)
  if (!vendor || !outgoing) return resultOf({ problem: protocolNotSupported(protocol) })
  try {
    const response = await deps.send(outgoing)
    status = response.status
    const bytes = await response.body.readWhole(limits.faultBytesMax)
    const text = bytes ? decoder.decode(bytes) : ''
    const { replies = plainReplies } = vendor.traits(model, upstream.baseUrl)
    const { usage, answerText } = readAnswer(protocol, replies, status, text)
    const costNano = usage && costFor(one, usage, deps.clock.nowMs())
    const inputTokens =
      usage && usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h
    return resultOf({ text: answerText, inputTokens, outputTokens: usage?.output, costNano })
  } catch (error) {
    return resultOf({ problem: problemOf(error, { status, credential: credential?.value }) })
  }
}

/** A credential that was entered in an old version has no displayable hint. */
function shownName({ hint, name }: Credential): string {
  return hint === '' ? name : hint
}

/** Throws the fault that a response reports. */
function readAnswer(
  protocol: ProtocolName,
  replies: ReplyTraits,
  status: number,
  text: string,
): { usage: TokenUsage | undefined; answerText: string } {
  const { passThrough, translation } = protocols[protocol]
  if (status !== 200) throw passThrough.readFault(status, text)
  const events = translation.decodeReply(text, { issuer: '', replies, mint: (prefix) => prefix })
  const { answers, usage, fault } = foldReply(events)
  if (fault) throw fault
  const answerText = (answers[0]?.parts ?? [])
    .flatMap(({ part }) => (part.type === 'text' ? [part.text] : []))
    .join('')
  const isReported = events.some((event) => event.type === 'usage')
  return { usage: isReported ? usage : undefined, answerText: answerText.slice(0, textLengthMax) }
}

function costFor({ catalog, route }: OneTest, usage: TokenUsage, nowMs: number): Nano | undefined {
  const model = route && catalog.models.get(route.modelId)
  const group = route && catalog.groups.get(route.groupId)
  const price = model && priceAt(model, nowMs)
  return price && group ? costOf(usage, price, group.factorMicro) : undefined
}
