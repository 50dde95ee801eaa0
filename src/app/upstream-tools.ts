import type { CatalogDirectory } from '../catalog/catalog-directory.ts'
import type { Clock } from '../core/clock.ts'
import {
  listUpstreamModels,
  type UpstreamListing,
} from '../gateway/operator/list-upstream-models.ts'
import {
  type TestRequest,
  testUpstream,
  type UpstreamTest,
} from '../gateway/operator/test-upstream.ts'
import type { SendHttp } from '../http-out/outgoing-http.ts'
import type { Routing } from '../routing/routing.ts'
import { probeUpstreams } from './probe-upstreams.ts'

/** Outcomes of tests that are remembered, the latest of as many upstreams. */
const testsKeptMax = 1_000

export interface LastTest {
  readonly isWell: boolean
}

/** What is asked of upstreams on nobody's behalf. */
export interface UpstreamTools {
  /** One small request for each protocol; charged to nobody. */
  test(upstreamId: string, request: TestRequest): Promise<readonly UpstreamTest[]>
  /** What the last of these came to in this process; undefined when there was none. */
  lastTest(upstreamId: string): LastTest | undefined
  /** What the upstream itself says it has, or why it says nothing; undefined when there is no such upstream. */
  listModels(upstreamId: string): Promise<UpstreamListing | undefined>
  /** Ends the probes. */
  stop(): Promise<void>
}

export function openUpstreamTools(parts: {
  readonly catalog: CatalogDirectory
  readonly send: SendHttp
  readonly clock: Clock
  readonly routing: Routing
}): UpstreamTools {
  const { catalog, send, clock, routing } = parts
  const probes = probeUpstreams({
    catalog,
    send,
    monotonicMs: clock.monotonicMs,
    random: routing.random,
    sink: {
      probed: (upstreamId, isWell) =>
        routing.health.probed(upstreamId, isWell, clock.monotonicMs()),
    },
  })
  const lastTests = new Map<string, LastTest>()
  return {
    test: async (upstreamId, request) => {
      const results = await testUpstream(catalog.snapshot(), upstreamId, request, { send, clock })
      const isWell = results.length > 0 && results.every(({ problem }) => problem === undefined)
      lastTests.delete(upstreamId)
      lastTests.set(upstreamId, { isWell })
      const [oldest] = lastTests.keys()
      if (lastTests.size > testsKeptMax && oldest !== undefined) lastTests.delete(oldest)
      // A failure may be that of a model that somebody has mistyped: it opens no breaker.
      if (isWell) routing.health.probed(upstreamId, true, clock.monotonicMs())
      return results
    },
    lastTest: (upstreamId) => lastTests.get(upstreamId),
    listModels: async (upstreamId) => {
      const upstream = catalog.snapshot().upstreams.get(upstreamId)
      return upstream && listUpstreamModels(upstream, send)
    },
    stop: probes.stop,
  }
}
