import type { UpstreamSettings } from '../../catalog/catalog-store.ts'
import { vendors } from '../../vendors/index.ts'
import { protocolFor } from '../../vendors/vendor.ts'
import type { CliWorld } from '../command.ts'
import { codeOf, messageOf } from '../database-problem.ts'
import { compareClocks } from './check-clock.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const timeoutMs = 5_000

/** Asks an upstream for its models; every HTTP answer shows that the way to it is open. */
export async function checkUpstream(
  upstream: UpstreamSettings,
  world: Pick<CliWorld, 'fetch' | 'nowMs'>,
): Promise<Finding[]> {
  const topic = `upstream ${upstream.id}`
  if (upstream.baseUrl === 'demo:') return [ok(topic, 'is built in')]
  const vendor = vendors.get(upstream.vendor)
  const protocol = vendor && protocolFor(vendor, upstream.protocol, 'chat-completions')
  if (!vendor || protocol === undefined) {
    return [
      fail(
        topic,
        `has the vendor "${upstream.vendor}" and protocol "${upstream.protocol}", which this version does not know`,
      ),
    ]
  }
  const place = { ...upstream, protocol }
  const url = vendor.modelsUrl(place)
  const startMs = world.nowMs()
  try {
    const response = await world.fetch(url, {
      method: 'GET',
      headers: vendor.headers(place),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    const reached = judge(topic, url, response.status, world.nowMs() - startMs)
    return [reached, ...clock(upstream.id, response.headers.get('date'), world.nowMs())]
  } catch (error) {
    return [
      fail(
        topic,
        `${url} cannot be reached (${reason(error)}); check its address, the network and the firewall`,
      ),
    ]
  }
}

function judge(topic: string, url: string, status: number, tookMs: number): Finding {
  if (status === 401 || status === 403) {
    return fail(topic, `${url} refuses the credential (HTTP ${status}); give it a valid one`)
  }
  if (status >= 500) return warn(topic, `${url} answers, but with HTTP ${status}; ask its operator`)
  return ok(topic, `${url} answers (HTTP ${status}, ${Math.round(tookMs)} ms)`)
}

function clock(id: string, date: string | null, nowMs: number): Finding[] {
  const otherMs = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(otherMs)) return []
  const finding = compareClocks(nowMs, otherMs, `the upstream ${id}`)
  return finding.verdict === 'ok' ? [] : [finding]
}

function reason(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no answer within ${timeoutMs / 1_000} s`
  return codeOf(error) || messageOf(error)
}
