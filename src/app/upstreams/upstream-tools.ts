import type { CatalogDirectory } from '../../catalog/catalog-directory.ts'
import type { Clock } from '../../core/time/clock.ts'
import {
  listUpstreamModels,
  type UpstreamListing,
} from '../../gateway/operator/list-upstream-models.ts'
import {
  type TestRequest,
  testUpstream,
  type UpstreamTest,
} from '../../gateway/operator/test-upstream.ts'
import type { SendHttp } from '../../http-out/outgoing-http.ts'
import type { Routing } from '../../routing/routing.ts'
import { probeUpstreams } from './probe-upstreams.ts'

/** Number of upstreams whose last test result is remembered. */
const testsKeptMax = 1_000

export interface LastTest {
  readonly isHealthy: boolean
}

/** Requests to upstreams that no account is charged for. */
export interface UpstreamTools {
  /** Sends one small request per protocol; no account is charged. */
  test(upstreamId: string, request: TestRequest): Promise<readonly UpstreamTest[]>
  /** The last test result in this process; undefined when there is none. */
  lastTest(upstreamId: string): LastTest | undefined
  /** The upstream's own model list, or why it is not available; undefined for an unknown upstream. */
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
      probed: (upstreamId, isHealthy) =>
        routing.health.probed(upstreamId, isHealthy, clock.monotonicMs()),
    },
  })
  const lastTests = new Map<string, LastTest>()
  return {
    test: async (upstreamId, request) => {
      const results = await testUpstream(catalog.snapshot(), upstreamId, request, { send, clock })
      const isHealthy = results.length > 0 && results.every(({ problem }) => problem === undefined)
      lastTests.delete(upstreamId)
      lastTests.set(upstreamId, { isHealthy })
      const [oldest] = lastTests.keys()
      if (lastTests.size > testsKeptMax && oldest !== undefined) lastTests.delete(oldest)
      // The model may be mistyped, so a failed test opens no breaker.
      if (isHealthy) routing.health.probed(upstreamId, true, clock.monotonicMs())
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
