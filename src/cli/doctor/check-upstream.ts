import { codeOf, messageOf } from '../../app/database/database-problem.ts'
import type { Credential, Upstream } from '../../catalog/catalog-snapshot.ts'
import { maskProxy } from '../../config/mask.ts'
import { storedDemoUrl } from '../../core/upstreams/stored-demo-url.ts'
import { modelsUrlOf, requestModels } from '../../gateway/operator/request-models.ts'
import { OutgoingFailure } from '../../http-out/reply.ts'
import type { CliContext } from '../command.ts'
import { compareClocks } from './check-clock.ts'
import { type DoctorFinding, fail, ok, warn } from './finding.ts'

const timeoutMs = 5_000

type Looking = Pick<CliContext, 'send' | 'nowMs'>

/** Asks an upstream for its models with each of its credentials. Any HTTP answer proves that the host is reachable. */
export async function checkUpstream(
  upstream: Upstream,
  context: Looking,
): Promise<DoctorFinding[]> {
  const topic = `upstream ${upstream.id}`
  if (upstream.baseUrl === storedDemoUrl) return [ok(topic, 'is built in')]
  if (!upstream.isEnabled) return [warn(topic, 'is disabled; nothing is sent to it')]
  if (modelsUrlOf(upstream) === undefined) {
    return [
      fail(
        topic,
        `has the vendor "${upstream.vendor}" and protocol "${upstream.protocol}", which this version does not know`,
      ),
    ]
  }
  if (upstream.needsCredential) {
    return [
      fail(
        topic,
        `has no usable credential: they are disabled, or were entered for a host other than ${upstream.baseUrl}; enter them again`,
      ),
    ]
  }
  const findings: DoctorFinding[] = []
  const shown = upstream.credentials.length === 0 ? [undefined] : upstream.credentials
  for (const credential of shown) {
    const asked = await ask(topic, upstream, credential, context)
    findings.push(...asked.findings)
    if (!asked.isReached) break
  }
  return findings
}

async function ask(
  topic: string,
  upstream: Upstream,
  credential: Credential | undefined,
  context: Looking,
): Promise<{ readonly findings: readonly DoctorFinding[]; readonly isReached: boolean }> {
  const url = modelsUrlOf(upstream)
  const startMs = context.nowMs()
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await requestModels(upstream, credential, context.send, signal)
    response.body.cancel()
    const named = upstream.credentials.length > 1 ? ` "${credential?.name}"` : ''
    const reached = judge(topic, `${url}`, named, response.status, context.nowMs() - startMs)
    const date = response.headers.get('date')
    return { findings: [reached, ...clock(upstream.id, date, context.nowMs())], isReached: true }
  } catch (error) {
    const how = wayOut(upstream)
    const text = `${url} cannot be reached${how} (${reason(error)}); ${advice(upstream, error)}`
    return { findings: [fail(topic, text)], isReached: false }
  }
}

function wayOut({ connection }: Upstream): string {
  return connection.proxy === undefined ? '' : ` through the proxy ${maskProxy(connection.proxy)}`
}

function advice({ connection }: Upstream, error: unknown): string {
  if (error instanceof OutgoingFailure && error.kind === 'tls_failed')
    return 'check that it uses TLS on this port, and that the gateway trusts its certificate'
  return connection.proxy === undefined
    ? 'check the base URL, the network and the firewall'
    : 'check the proxy, its user and password, and whether it allows this host'
}

function judge(
  topic: string,
  url: string,
  named: string,
  status: number,
  tookMs: number,
): DoctorFinding {
  if (status === 401 || status === 402 || status === 403) {
    return fail(
      topic,
      `${url} rejects the credential${named} (HTTP ${status}); enter a valid credential`,
    )
  }
  if (status >= 500) return warn(topic, `${url} responds with HTTP ${status}; ask its operator`)
  const taken = named === '' ? '' : `, credential${named}`
  return ok(topic, `${url} answers (HTTP ${status}, ${Math.round(tookMs)} ms${taken})`)
}

function clock(id: string, date: string | null, nowMs: number): DoctorFinding[] {
  const otherMs = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(otherMs)) return []
  const finding = compareClocks(nowMs, otherMs, `the upstream ${id}`)
  return finding.verdict === 'ok' ? [] : [finding]
}

function reason(error: unknown): string {
  if (error instanceof OutgoingFailure && error.kind === 'stopped')
    return `no response within ${timeoutMs / 1_000} s`
  return codeOf(error) || messageOf(error)
}
