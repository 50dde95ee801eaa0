import { mkdirSync } from 'node:fs'
import type { LimitOwner, OwnedLimits } from '../src/core/limits/rate-limit.ts'
import { ownedLimits } from '../src/core/limits/rate-limit.ts'
import { HeadersCache } from '../src/http-in/headers-cache.ts'
import { LimitRefusal } from '../src/limits/limiter.ts'
import { LocalLimits } from '../src/limits/local-limits.ts'
import { openaiLimitHeaders } from '../src/protocols/openai/limit-headers.ts'
import { type AgainstCase, againstCases } from './against/cases.ts'
import type { Pair } from './against/compare-builds.ts'
import {
  benchHeaders,
  benchModel,
  completionsPath,
  limitedKey,
  limitedModel,
  usualKey,
} from './bench-request.ts'
import { compareRequests, requestWith } from './budget-scenario.ts'
import { stopChild } from './children.ts'
import type { Fixture } from './fixture.ts'
import { rateLimitMax } from './gateway-config.ts'
import { measureSlices } from './measure-slices.ts'
import { median } from './median.ts'
import type { Goal, Outcome } from './scenario.ts'
import { startGateway } from './target.ts'

const owners: readonly LimitOwner[] = ['key', 'key_model', 'member', 'account', 'group', 'model']
const tokens = 500

/**
 * The whole answers: streams cost many times as much, and limits cost them the same. With the CPU time of a request
 * without limits on the machine of `docs/benchmarks.md`, in µs.
 */
const usualTimes = new Map([
  ['chat', 75],
  ['messages', 90],
])

/** The kinds of requests that are compared with those without limits. The goal in µs is that of all limits together. */
const kinds = [
  { name: 'usual limits', key: usualKey, model: benchModel, addedMax: undefined },
  { name: 'limits and budgets', key: limitedKey, model: limitedModel, addedMax: 3 },
] as const
type Kind = (typeof kinds)[number]

/**
 * The cost of limits and budgets: in memory, and as the CPU time of a request with them divided by that of a request
 * without any, at the same gateway. With all of them together, and with those that a key usually has.
 */
export async function runLimitsScenario(fixture: Fixture): Promise<Outcome> {
  const { none, all } = compareRequests(requestWith([]), limitedRequest())
  const rows = [
    { target: 'without, in memory', figures: { 'us per request': none } },
    { target: 'with, in memory', figures: { 'us per request': all } },
  ]
  const goals: Goal[] = []
  for (const kind of kinds) {
    for (const each of againstCases) {
      const usualTime = usualTimes.get(each.name)
      if (usualTime === undefined) continue
      const pairs = await measureGateway(fixture, each, kind)
      const cpu = (pick: (pair: Pair) => number) => median(pairs.map(pick))
      const added = cpu(({ own, other }) => own - other)
      const ratio = cpu(({ own, other }) => own / other)
      const figures: readonly (readonly [string, number])[] = [
        [`without ${kind.name}, ${each.name}`, cpu(({ other }) => other)],
        [`with ${kind.name}, ${each.name}`, cpu(({ own }) => own)],
        [`added in ${pairs.length} slices, ${each.name}`, added],
        // Other work on a machine can slow down all requests to a third, and limits with them.
        [`the same ratio of ${usualTime} us, ${each.name}`, (ratio - 1) * usualTime],
      ]
      for (const [target, value] of figures)
        rows.push({ target, figures: { 'us per request': value } })
      if (kind.addedMax !== undefined) {
        const title = `added by ${kind.name}, ${each.name}`
        goals.push({ title, value: added, atMost: kind.addedMax, unit: 'us' })
      }
      const title = `CPU with ${kind.name} / without, ${each.name}`
      goals.push({ title, value: ratio, atMost: 1.03, unit: 'x' })
    }
  }
  const title = `all limits of ${owners.length} owners and eleven budgets, and those of a usual key`
  return { scenario: 'limits', title, rows, goals }
}

/** Admission, the headers of the answer and the end of a request, around its hold and its settlement. */
function limitedRequest(): () => void {
  const limits = new LocalLimits(() => performance.now())
  const applied = owners.flatMap((owner): OwnedLimits | [] => {
    const values = {
      requestsPerMinute: rateLimitMax,
      tokensPerMinute: rateLimitMax,
      concurrentRequests: 1_000,
    }
    return ownedLimits(owner, owner, values) ?? []
  })
  const hold = requestWith(['key', 'member', 'account'])
  const headers = new HeadersCache(Date.now)
  return () => {
    const permit = limits.admit(applied, tokens)
    if (permit instanceof LimitRefusal) throw new Error('a limit is reached')
    hold()
    permit.end(tokens)
    headers.of({}, { headers: openaiLimitHeaders, levels: permit.levels() })
  }
}

const slicesSeconds = 60

async function measureGateway(
  fixture: Fixture,
  { name, body, load }: AgainstCase,
  { key, model }: Kind,
): Promise<Pair[]> {
  const own = {
    headers: { ...benchHeaders, authorization: `Bearer ${key}` },
    body: body.replaceAll(benchModel, model),
  }
  const requests = {
    path: load.path ?? completionsPath,
    own,
    other: { headers: benchHeaders, body },
  }
  const pairs: Pair[] = []
  for (let round = 0; round < fixture.options.rounds; round += 1) {
    const folder = `${fixture.folder}/limits-${name}-${model}-${round}`
    mkdirSync(folder)
    const { entry } = fixture.options
    const gateway = await startGateway(entry, folder, fixture.upstream, { isLimited: true })
    const how = { ...fixture, folder, seconds: slicesSeconds }
    pairs.push(...(await measureSlices(how, gateway, requests)))
    await stopChild(gateway.child)
  }
  return pairs
}
