import type { CatalogDirectory } from '../../catalog/catalog-directory.ts'
import type { CatalogSnapshot, Upstream } from '../../catalog/catalog-snapshot.ts'
import { isProtocolName } from '../../core/neutral/protocol-name.ts'
import { smallRequest } from '../../gateway/admit/small-request.ts'
import { requestModels } from '../../gateway/operator/request-models.ts'
import type { SendHttp } from '../../http-out/outgoing-http.ts'
import type { UpstreamResponse } from '../../http-out/reply.ts'
import { vendors } from '../../vendors/index.ts'

/** Receives the results of probes. */
export interface ProbeSink {
  /** `ms` is the duration of the probe. */
  probed(upstreamId: string, isHealthy: boolean, ms: number): void
}

export interface ProbeDeps {
  readonly catalog: CatalogDirectory
  readonly send: SendHttp
  readonly sink: ProbeSink
  readonly monotonicMs: () => number
  readonly random: () => number
  /** How often due probes are started. */
  readonly lookEveryMs?: number
}

const lookEveryMsByDefault = 1_000
const probeMsMax = 30_000
/** Jitter of the probe interval, so that replicas that start together do not probe together. */
const jitter = 0.1

/**
 * Probes the upstreams that have `probe` set. No account is charged for a probe, and the request log
 * does not have it. An upstream has at most one running probe.
 */
export function probeUpstreams(deps: ProbeDeps): { stop(): Promise<void> } {
  const dueMs = new Map<string, number>()
  const running = new Map<string, Promise<void>>()
  const ending = new AbortController()
  const look = (): void => {
    const nowMs = deps.monotonicMs()
    const catalog = deps.catalog.snapshot()
    for (const upstream of catalog.upstreams.values()) {
      const { id, probe } = upstream
      if (!probe || !upstream.isEnabled || upstream.needsCredential) {
        dueMs.delete(id)
        continue
      }
      const due = dueMs.get(id)
      // The first probe starts at a random moment of the first interval.
      if (due === undefined) dueMs.set(id, nowMs + probe.everyMs * deps.random())
      if (due === undefined || due > nowMs || running.has(id)) continue
      dueMs.set(id, nowMs + probe.everyMs * (1 - jitter + 2 * jitter * deps.random()))
      const asked = probeOne(upstream, catalog, deps, ending.signal)
      running.set(
        id,
        asked.finally(() => running.delete(id)),
      )
    }
  }
  const timer = setInterval(look, deps.lookEveryMs ?? lookEveryMsByDefault)
  return {
    stop: async () => {
      clearInterval(timer)
      ending.abort()
      await Promise.all(running.values())
    },
  }
}

async function probeOne(
  upstream: Upstream,
  catalog: CatalogSnapshot,
  deps: ProbeDeps,
  ending: AbortSignal,
): Promise<void> {
  const startedMs = deps.monotonicMs()
  const limitMs = Math.min(upstream.timeouts.headersMs, probeMsMax)
  const signal = AbortSignal.any([ending, AbortSignal.timeout(limitMs)])
  let isHealthy = false
  try {
    const response = await ask(upstream, catalog, deps, signal)
    response.body.cancel()
    // An upstream that rejects a probe is reachable. Requests show the reason for the rejection.
    isHealthy = response.status < 500
  } catch {
    if (ending.aborted) return
  }
  deps.sink.probed(upstream.id, isHealthy, deps.monotonicMs() - startedMs)
}

function ask(
  upstream: Upstream,
  catalog: CatalogSnapshot,
  { send, random }: ProbeDeps,
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  const { credentials, probe, protocol } = upstream
  const credential = credentials[Math.floor(random() * credentials.length)]
  const vendor = vendors.get(upstream.vendor)
  if (probe?.model === undefined || !vendor)
    return requestModels(upstream, credential, send, signal)
  const request = smallRequest(
    {
      upstream,
      vendor,
      credential,
      protocol: isProtocolName(protocol) ? protocol : vendor.native[0],
      ...addressed(catalog, upstream, probe.model),
      outputTokensMax: 1,
    },
    signal,
  )
  return request ? send(request) : requestModels(upstream, credential, send, signal)
}

/** The model may be named by its catalogue id or by the upstream's name. */
function addressed({ routes }: CatalogSnapshot, { id }: Upstream, model: string) {
  for (const byModel of routes.values()) {
    const route = byModel.get(model)?.find(({ upstream }) => upstream.id === id)
    if (route) return { upstreamModel: route.upstreamModel, parameters: route.parameters }
  }
  return { upstreamModel: model, parameters: undefined }
}
