import { createServer } from 'node:http'
import type { Provision } from '../../src/config/provision.ts'
import { withTimeout } from '../../src/core/time/wait-at-most.ts'
import { auditLedger } from '../../src/ledger/audit/audit-ledger.ts'
import { eventually } from '../support/eventually.ts'
import { sendRaw } from '../support/gateway/send-raw.ts'
import { startGateway, type TestGateway } from '../support/gateway/start-gateway.ts'
import { credentials } from '../support/gateway/test-provision.ts'
import type { HostileAnswer, HostileInput } from './hostile-input.ts'
import { type HostileUpstream, startHostileUpstream } from './hostile-upstream.ts'
import { judgeAnswer } from './judge-answer.ts'
import { makeInput } from './make-input.ts'

export interface HostileRun {
  readonly seed: number
  /** The number of the first input. */
  readonly from?: number
  readonly count: number
  /** Stops before the count when the time is over. */
  readonly untilMs?: number
  readonly onProgress?: (done: number) => void
  /** Called for each stage after the last input. */
  readonly onStage?: (what: string) => void
}

export interface HostileReport {
  inputs: number
  readonly kinds: Record<string, number>
  readonly statuses: Record<string, number>
  /** The first hundred failures, each with the number of the input that repeats it. */
  readonly failures: string[]
  failed: number
  /** Requests that reached the internal server. */
  insideHits: number
  longestBlockMs: number
  rssPeakMb: number
  upstreamRequests: number
  /** Findings of the ledger's audit, and accounts and keys below zero. */
  moneyFindings: string[]
}

const atOnce = 8
const batch = 200
const failuresMax = 100
const answerMs = 60_000
/** The audit reads every entry of a long run. */
const stageMs = 30 * 60_000

/** Sends every input to a gateway on a real socket and judges every answer. */
export async function runHostile(run: HostileRun): Promise<HostileReport> {
  const upstream = await startHostileUpstream()
  let insideHits = 0
  const inside = createServer((_, response) => {
    insideHits += 1
    response.end('inside')
  })
  await new Promise<void>((resolve) => {
    inside.listen(0, '0.0.0.0', resolve)
  })
  const address = inside.address()
  const insidePort = typeof address === 'object' ? (address?.port ?? 0) : 0
  const gateway = await startGateway({
    extend: (provision) => rich(provision, upstream),
    isPrivateMediaAllowed: false,
  })
  const report = emptyReport()
  const block = watchBlocks(report)
  const stage = async (what: string, work: () => Promise<void>) => {
    run.onStage?.(what)
    // A stage that does not end is reported as a failure, so that a run of hours does not wait for ever.
    const why = `${what} took longer than ${stageMs / 60_000} min`
    await withTimeout(work(), stageMs, why).catch((error: unknown) => fail(report, String(error)))
  }
  await sendAll(run, gateway, insidePort, report)
  clearInterval(block)
  await stage('looking at the money', () => lookAtMoney(gateway, report))
  report.insideHits = insideHits
  report.upstreamRequests = upstream.served
  await stage('stopping the gateway', () => gateway.stop())
  await stage('stopping the upstream', () => upstream.stop())
  inside.closeAllConnections()
  inside.close()
  if (insideHits > 0) fail(report, `${insideHits} requests reached an inside address`)
  for (const finding of report.moneyFindings) fail(report, `money: ${finding}`)
  return report
}

function emptyReport(): HostileReport {
  return {
    inputs: 0,
    kinds: {},
    statuses: {},
    failures: [],
    failed: 0,
    insideHits: 0,
    longestBlockMs: 0,
    rssPeakMb: 0,
    upstreamRequests: 0,
    moneyFindings: [],
  }
}

/** All upstreams are the hostile one, and the main account has enough credit for the whole run. */
function rich(provision: Provision, { url }: HostileUpstream): Provision {
  return {
    ...provision,
    upstreams: provision.upstreams.map((each) => {
      const { pathname } = new URL(each.baseUrl)
      return { ...each, baseUrl: `${url}${pathname === '/' ? '' : pathname}` }
    }),
    accounts: provision.accounts.map((account) =>
      account.id === 'acme' ? { ...account, creditNano: 10n ** 16n } : account,
    ),
  }
}

/** Gateway, upstream and clients share one event loop, so this is an upper bound for the gateway. */
function watchBlocks(report: HostileReport): ReturnType<typeof setInterval> {
  const everyMs = 5
  let last = performance.now()
  return setInterval(() => {
    const now = performance.now()
    report.longestBlockMs = Math.max(report.longestBlockMs, Math.round(now - last - everyMs))
    report.rssPeakMb = Math.max(report.rssPeakMb, Math.round(process.memoryUsage.rss() / 1e6))
    last = now
  }, everyMs)
}

async function sendAll(
  { seed, from: first = 0, count, untilMs, onProgress }: HostileRun,
  gateway: TestGateway,
  insidePort: number,
  report: HostileReport,
): Promise<void> {
  const secrets = [...Object.values(gateway.keys), ...Object.values(credentials)]
  for (let from = first; from < count; from += batch) {
    if (untilMs !== undefined && Date.now() > untilMs) break
    const size = Math.min(batch, count - from)
    let next = from
    const lane = async () => {
      while (next < from + size) {
        const index = next
        next += 1
        await sendOne(makeInput(seed, index, { insidePort }), index, gateway, secrets, report)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
    const signal = AbortSignal.timeout(answerMs)
    const metrics = await (await fetch(`${gateway.url}/metrics`, { signal })).text()
    if (secrets.some((secret) => metrics.includes(secret))) fail(report, 'a secret in the metrics')
    lookAtLog(gateway, secrets, from, report)
    // Broken replies must not make upstreams unavailable to later inputs.
    gateway.node.routing.forget()
    onProgress?.(report.inputs)
  }
}

async function sendOne(
  input: HostileInput,
  index: number,
  gateway: TestGateway,
  secrets: readonly string[],
  report: HostileReport,
): Promise<void> {
  report.inputs += 1
  report.kinds[input.kind] = (report.kinds[input.kind] ?? 0) + 1
  try {
    const answer = await ask(input, gateway)
    report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1
    const wrong = judgeAnswer(input, answer, secrets)
    if (wrong !== undefined) fail(report, `#${index} ${input.kind} ${input.path}: ${wrong}`)
  } catch (error) {
    fail(report, `#${index} ${input.kind} ${input.path}: no answer (${String(error)})`)
  }
}

async function ask(input: HostileInput, gateway: TestGateway): Promise<HostileAnswer> {
  if (input.raw !== undefined) {
    const { status, text } = await sendRaw(gateway.url, [Buffer.from(input.raw, 'latin1')], {
      thenEnd: true,
      withinMs: answerMs,
    })
    return { status, text, headers: new Headers() }
  }
  const { key, method, path, headers, body } = input
  const response = await gateway.open({
    key,
    method,
    path,
    headers,
    body,
    signal: AbortSignal.timeout(answerMs),
  })
  // A stream that fails after its beginning ends in an error event, not in a broken connection.
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function lookAtLog(
  { logLines }: TestGateway,
  secrets: readonly string[],
  from: number,
  report: HostileReport,
): void {
  const text = logLines.join('')
  if (secrets.some((secret) => text.includes(secret)))
    fail(report, `a secret in the log after #${from}`)
  const defect = logLines.find((line) => line.includes('internal_error'))
  if (defect !== undefined)
    fail(report, `a defect after #${from}: ${defect.slice(0, 600)}`)
    // Tests read these lines; a run of a million inputs cannot keep them in memory.
  ;(logLines as string[]).length = 0
}

async function lookAtMoney(gateway: TestGateway, report: HostileReport): Promise<void> {
  const { node, money, engine } = gateway
  await eventually('all holds are settled', () => node.ledger.openHolds === 0)
  await node.ledger.shipped()
  const found = report.moneyFindings
  for (const imbalance of await money.imbalances()) found.push(JSON.stringify(imbalance, spelled))
  for (const { findings } of await auditLedger(engine, 0)) {
    for (const finding of findings) found.push(JSON.stringify(finding, spelled))
  }
  for (const owner of await money.overdrawn()) found.push(`${owner} is below zero`)
  if (node.mediaBudget.bytesInUse > 0) fail(report, 'fetched media were not let go')
}

function spelled(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function fail(report: HostileReport, what: string): void {
  report.failed += 1
  if (report.failures.length < failuresMax) report.failures.push(what)
}
