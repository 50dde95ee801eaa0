import type { CatalogSnapshot } from '../../../src/catalog/catalog-snapshot.ts'
import { HealthRegistry } from '../../../src/routing/health-registry.ts'
import { planCandidates } from '../../../src/routing/plan.ts'
import type { ConversationTarget, Plan, PlanParams } from '../../../src/routing/plan-params.ts'
import type { Candidate } from '../../../src/routing/route-set.ts'
import type { HealthEvents } from '../../../src/routing/target-state.ts'
import { seededRandom } from '../../support/seeded-random.ts'

export interface PlanFixture {
  readonly health: HealthRegistry
  /** The reported events. */
  readonly heard: string[]
  question(own?: Partial<PlanParams>): PlanParams
  plan(own?: Partial<PlanParams>): Plan
  /** `group upstream credential`, in order. */
  order(own?: Partial<PlanParams>): string[]
  /** The candidate with this name, at any position. */
  find(upstream: string, credential?: string): Candidate
}

export function planFixture(catalog: CatalogSnapshot, random = seededRandom(1)): PlanFixture {
  const heard: string[] = []
  const health = new HealthRegistry(eventsInto(heard), random)
  const question = (own: Partial<PlanParams> = {}): PlanParams => ({
    catalog,
    health,
    accountId: 'acme',
    groups: [...catalog.groups.keys()],
    models: undefined,
    model: 'm',
    nowMs: 200,
    monotonicMs: 1_000,
    random,
    ...own,
  })
  const plan = (own?: Partial<PlanParams>) => planCandidates(question(own))
  return {
    health,
    heard,
    question,
    plan,
    order: (own) => plan(own).candidates.map(nameOf),
    find: (upstream, credential) => {
      for (const ofGroup of catalog.routes.values()) {
        for (const [model, routes] of ofGroup) {
          if (!routes.some((route) => route.upstream.id === upstream)) continue
          const found = plan({ model, pin: pinTo(upstream) }).candidates.find(
            (each) => credential === undefined || each.credential?.name === credential,
          )
          if (found) return found
        }
      }
      throw new Error(`there is no ${upstream} ${credential ?? ''}`)
    },
  }
}

function nameOf({ group, route, credential }: Candidate): string {
  return `${group.id} ${route.upstream.id} ${credential?.name ?? '-'}`
}

export function eventsInto(heard: string[]): HealthEvents {
  return {
    breakerOpened: ({ upstreamId, model }) => heard.push(`${upstreamId} ${model} out`),
    breakerClosed: ({ upstreamId, model }) => heard.push(`${upstreamId} ${model} back`),
    credentialRejected: ({ upstreamId, name }, status) =>
      heard.push(`${upstreamId} ${name} refused with ${status}`),
    credentialAccepted: ({ upstreamId, name }) => heard.push(`${upstreamId} ${name} taken again`),
  }
}

/** For a request that continues a response stored there. */
export function pinTo(upstreamId: string, credentialName?: string) {
  return { upstreamId, credentialName }
}

/** A conversation that this target answered last. */
export function wasAt(place: ConversationTarget) {
  return { place: () => place }
}

/** Enough failures for the breaker to open. */
export function breakDown({ state }: Candidate, nowMs: number): void {
  for (let count = 0; count < 5; count += 1) state.fail(nowMs, nowMs, { cause: 'upstream' })
}
