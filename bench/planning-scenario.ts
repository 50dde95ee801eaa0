import type { CatalogSnapshot, Route, Upstream } from '../src/catalog/catalog-snapshot.ts'
import { timeoutsByDefault } from '../src/core/upstreams/upstream-timeouts.ts'
import { HealthRegistry } from '../src/routing/health-registry.ts'
import { planCandidates } from '../src/routing/plan.ts'
import type { PlanParams } from '../src/routing/plan-params.ts'
import { median } from './median.ts'
import type { Outcome } from './scenario.ts'

const rounds = 7
const callsPerRound = 200_000
const candidates = 20

// The cost per request of choosing an upstream and of learning from its answer. It needs no other process.
export function runPlanningScenario(): Outcome {
  const many = microseconds(planning(candidates))
  const one = microseconds(planning(1))
  const update = microseconds(updating())
  return {
    scenario: 'planning',
    title: `choosing among upstreams, median of ${rounds} rounds of ${callsPerRound} calls`,
    rows: [
      { target: `plan, ${candidates} candidates`, figures: { 'us per call': many } },
      { target: 'plan, one candidate', figures: { 'us per call': one } },
      { target: 'health update', figures: { 'us per call': update } },
    ],
    goals: [
      { title: `plan of ${candidates} candidates`, value: many, atMost: 5, unit: 'us' },
      { title: 'health update', value: update, atMost: 1, unit: 'us' },
    ],
  }
}

function microseconds(work: (call: number) => void): number {
  const figures: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now()
    for (let call = 0; call < callsPerRound; call += 1) work(call)
    figures.push(((performance.now() - startedMs) * 1_000) / callsPerRound)
  }
  return median(figures)
}

function planning(count: number): (call: number) => void {
  const question = questionOf(count)
  return () => {
    planCandidates(question)
  }
}

// An attempt that begins, is answered and ends; one of ten fails.
function updating(): (call: number) => void {
  const [candidate] = planCandidates(questionOf(1)).candidates
  if (!candidate) throw new Error('there is nothing to update')
  const { state } = candidate
  return (call) => {
    const isTrial = state.enter(call)
    if (call % 10 === 0) state.fail(call, call, { cause: 'upstream' })
    else {
      state.target.noteFirstToken(100 + (call % 50))
      state.succeed(call, call)
    }
    state.leave(isTrial)
  }
}

function questionOf(count: number): PlanParams {
  return {
    catalog: catalogOf(count),
    health: new HealthRegistry(
      {
        breakerOpened: () => undefined,
        breakerClosed: () => undefined,
        credentialRejected: () => undefined,
        credentialAccepted: () => undefined,
      },
      Math.random,
    ),
    accountId: 'bench',
    groups: ['default'],
    models: undefined,
    model: 'model',
    nowMs: 1,
    monotonicMs: 1,
    random: Math.random,
  }
}

// Two priorities, two credentials each.
function catalogOf(count: number): CatalogSnapshot {
  const routes = Array.from({ length: Math.ceil(count / 2) }, (_, index): Route => {
    const upstream = upstreamOf(`upstream-${index}`, Math.min(count, 2))
    return {
      groupId: 'default',
      modelId: 'model',
      upstream,
      upstreamModel: 'model',
      priority: index % 2,
      weight: 1 + (index % 3),
      parameters: undefined,
    }
  })
  const price = {
    versionId: 'price',
    validFromMs: 0,
    inputNano: 1n,
    cacheReadNano: 1n,
    cacheWrite5mNano: 1n,
    cacheWrite1hNano: 1n,
    outputNano: 1n,
    requestNano: 0n,
  }
  return {
    groups: new Map([
      [
        'default',
        {
          id: 'default',
          factorMicro: 1_000_000n,
          isStrict: false,
          grants: undefined,
          fallbacks: new Map(),
        },
      ],
    ]),
    models: new Map([
      [
        'model',
        {
          id: 'model',
          displayName: 'Model',
          ownedBy: 'bench',
          contextTokens: undefined,
          maxOutputTokens: 1_000,
          createdAtMs: 0,
          prices: [price],
        },
      ],
    ]),
    upstreams: new Map(routes.map(({ upstream }) => [upstream.id, upstream])),
    routes: new Map([['default', new Map([['model', routes]])]]),
  }
}

function upstreamOf(id: string, credentials: number): Upstream {
  return {
    id,
    vendor: 'openai-compatible',
    protocol: 'chat-completions',
    baseUrl: 'http://127.0.0.1',
    credentials: Array.from({ length: credentials }, (_, index) => ({
      id: `${id}-${index}`,
      name: String(index),
      value: 'bench',
      hint: '…',
    })),
    needsCredential: false,
    timeouts: timeoutsByDefault,
    concurrencyMax: 1_000,
    connection: { proxy: undefined, ca: undefined, allowsPrivate: false },
    probe: undefined,
    isEnabled: true,
  }
}
