import { mkdirSync } from 'node:fs'
import type { LimitOwner, OwnedLimits } from '../src/core/limits/rate-limit.ts'
import { ownedLimits } from '../src/core/limits/rate-limit.ts'
import { LimitRefusal } from '../src/limits/limiter.ts'
import { LocalLimits } from '../src/limits/local-limits.ts'
import { openaiLimitHeaders } from '../src/protocols/openai/limit-headers.ts'
import type { Pair } from './against/compare-builds.ts'
import { benchHeaders, benchModel, limitedKey, limitedModel, requestBody } from './bench-request.ts'
import { compareRequests, requestWith } from './budget-scenario.ts'
import { stopChild } from './children.ts'
import type { Fixture } from './fixture.ts'
import { rateLimitMax } from './gateway-config.ts'
import { measureSlices } from './measure-slices.ts'
import { median } from './median.ts'
import type { Outcome } from './scenario.ts'
import { startGateway } from './target.ts'

const owners: readonly LimitOwner[] = ['key', 'key_model', 'member', 'account', 'group', 'model']
const tokens = 500

/**
 * The cost of all limits and budgets together: in memory, and as the CPU time of a request with all of them divided by
 * that of a request without any, at the same gateway.
 */
export async function runLimitsScenario(fixture: Fixture): Promise<Outcome> {
  const { none, all } = compareRequests(requestWith([]), limitedRequest())
  const pairs = await measureGateway(fixture)
  const cpu = (pick: (pair: Pair) => number) => median(pairs.map(pick))
  const added = cpu(({ own, other }) => own - other)
  return {
    scenario: 'limits',
    title: `all limits of ${owners.length} owners and eleven budgets; ${pairs.length} slices under load`,
    rows: [
      { target: 'without, in memory', figures: { 'us per request': none } },
      { target: 'with, in memory', figures: { 'us per request': all } },
      { target: 'without, gateway', figures: { 'us per request': cpu(({ other }) => other) } },
      { target: 'with, gateway', figures: { 'us per request': cpu(({ own }) => own) } },
      { target: 'added, gateway', figures: { 'us per request': added } },
    ],
    goals: [
      { title: 'added by limits and budgets', value: added, atMost: 3, unit: 'us' },
      {
        title: 'CPU with limits and budgets / without',
        value: cpu(({ own, other }) => own / other),
        atMost: 1.03,
        unit: 'x',
      },
    ],
  }
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
  return () => {
    const permit = limits.admit(applied, tokens)
    if (permit instanceof LimitRefusal) throw new Error('a limit is reached')
    hold()
    openaiLimitHeaders(permit.levels())
    permit.end(tokens)
  }
}

const slicesSeconds = 60

async function measureGateway(fixture: Fixture): Promise<Pair[]> {
  const own = {
    headers: { ...benchHeaders, authorization: `Bearer ${limitedKey}` },
    body: requestBody().replaceAll(benchModel, limitedModel),
  }
  const other = { headers: benchHeaders, body: requestBody() }
  const pairs: Pair[] = []
  for (let round = 0; round < fixture.options.rounds; round += 1) {
    const folder = `${fixture.folder}/limits-${round}`
    mkdirSync(folder)
    const { entry } = fixture.options
    const gateway = await startGateway(entry, folder, fixture.upstream, { isLimited: true })
    const how = { ...fixture, folder, seconds: slicesSeconds }
    pairs.push(...(await measureSlices(how, gateway, { own, other })))
    await stopChild(gateway.child)
  }
  return pairs
}
