import { mkdirSync } from 'node:fs'
import type { LimitOwner, OwnedLimits } from '../src/core/rate-limit.ts'
import { ownedLimits } from '../src/core/rate-limit.ts'
import { LimitRefusal } from '../src/limits/limiter.ts'
import { LocalLimits } from '../src/limits/local-limits.ts'
import { openaiLimitHeaders } from '../src/protocols/openai-limit-headers.ts'
import { againstCases } from './against/cases.ts'
import { measureCase, type Pair } from './against/compare-builds.ts'
import { quietRatio } from './against/print-comparison.ts'
import { compareRequests, requestWith } from './budget-scenario.ts'
import { stopChild } from './children.ts'
import type { Fixture } from './fixture.ts'
import { rateLimitMax } from './gateway-config.ts'
import { median } from './median.ts'
import type { Outcome } from './scenario.ts'
import { startGateway, type Target } from './target.ts'

const owners: readonly LimitOwner[] = ['key', 'key_model', 'member', 'account', 'group', 'model']
const tokens = 500

/**
 * The cost of all limits and budgets together: in memory, and as the CPU time of a gateway with all of them divided by
 * that of a gateway without any. The two gateways are measured in turns.
 */
export async function runLimitsScenario(fixture: Fixture): Promise<Outcome> {
  const { none, all } = compareRequests(requestWith([]), limitedRequest())
  const pairs = await measureGateways(fixture)
  const cpu = (pick: (pair: Pair) => number) => median(pairs.map(pick))
  return {
    scenario: 'limits',
    title: `all limits of ${owners.length} owners and eleven budgets; ${pairs.length} pairs of windows under load`,
    rows: [
      { target: 'without, in memory', figures: { 'us per request': none } },
      { target: 'with, in memory', figures: { 'us per request': all } },
      { target: 'without, gateway', figures: { 'us per request': cpu(({ other }) => other) } },
      { target: 'with, gateway', figures: { 'us per request': cpu(({ own }) => own) } },
    ],
    goals: [
      { title: 'added by limits and budgets in memory', value: all - none, atMost: 3, unit: 'us' },
      {
        title: 'CPU with limits and budgets / without',
        value: quietRatio(pairs),
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

async function measureGateways(fixture: Fixture): Promise<readonly Pair[]> {
  const [chat] = againstCases
  if (!chat) throw new Error('there is no case')
  const start = async (name: string, isLimited: boolean): Promise<Target> => {
    const folder = `${fixture.folder}/${name}`
    mkdirSync(folder)
    return await startGateway(fixture.options.entry, folder, fixture.upstream, { isLimited })
  }
  const pairs: Pair[] = []
  for (let round = 0; round < fixture.options.rounds; round += 1) {
    const own = await start(`limited-${round}`, true)
    const other = await start(`unlimited-${round}`, false)
    const { options, folder, upstream } = fixture
    const how = { options, folder, wrk: fixture.programs.wrk, tell: () => undefined }
    pairs.push(...(await measureCase(how, upstream, { own, other }, chat)))
    await Promise.all([own, other].map(({ child }) => stopChild(child)))
  }
  return pairs
}
