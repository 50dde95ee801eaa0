import { stringify } from 'yaml'
import { benchModel, limitedModel } from './bench-request.ts'

export interface GatewayPlan {
  readonly folder: string
  readonly port: number
  readonly upstreamUrl: string
  /** Adds a key with all limits and budgets, and one with usual ones. They are too high to be reached. */
  readonly isLimited: boolean
}

/** nginx writes no access log here either: the bench compares the work of forwarding. */
export const gatewayLogLevel = 'warn'
export const gatewayKeyVariable = 'BENCH_GATEWAY_KEY'
export const limitedKeyVariable = 'BENCH_LIMITED_KEY'
export const usualKeyVariable = 'BENCH_USUAL_KEY'
export const upstreamKeyVariable = 'BENCH_UPSTREAM_KEY'

export const rateLimitMax = 1_000_000_000
const rates = {
  requestsPerMinute: rateLimitMax,
  tokensPerMinute: rateLimitMax,
  concurrentRequests: 1_000,
}
const budgets = { daily: 100_000, weekly: 200_000, monthly: 300_000, budgetAlertPercent: 80 }
const user = 'bench@example.com'
const limitedNames = {
  group: 'limited',
  model: limitedModel,
  account: 'limit',
  key: 'limit',
}

/** What a request needs, twice: the second set has a name of its own and all limits and budgets. */
function documentsOf({ isLimited }: GatewayPlan) {
  const plain = { group: 'default', model: benchModel, account: 'bench', key: 'bench' }
  return isLimited
    ? [
        { ...plain, isLimited: false },
        { ...limitedNames, isLimited },
      ]
    : [{ ...plain, isLimited }]
}

export function gatewayConfig(plan: GatewayPlan): string {
  const sets = documentsOf(plan)
  const price = { input: 2.5, output: 10 }
  const limitsIn = (isLimited: boolean) => (isLimited ? rates : {})
  const ofMember = { ...rates, ...budgets, total: 400_000 }
  const ofKey = (model: string) => ({
    owner: user,
    ...rates,
    ...budgets,
    quota: 400_000,
    modelLimits: [{ model, ...rates }],
  })
  return stringify({
    listen: `127.0.0.1:${plan.port}`,
    database: `sqlite://${plan.folder}/tollgate.db`,
    data: plan.folder,
    demo: 'off',
    logLevel: gatewayLogLevel,
    provision: {
      groups: sets.map((set) => ({ id: set.group, factor: 1, ...limitsIn(set.isLimited) })),
      models: sets.map((set) => ({
        id: set.model,
        price,
        maxOutputTokens: 16_384,
        ...limitsIn(set.isLimited),
      })),
      upstreams: [
        {
          id: 'minimal',
          vendor: 'openai-compatible',
          protocol: 'chat-completions',
          baseUrl: `${plan.upstreamUrl}/v1`,
          credential: `env:${upstreamKeyVariable}`,
          groups: sets.map(({ group }) => group),
          models: sets.map(({ model }) => model),
        },
      ],
      accounts: sets.map(({ account, isLimited }) => ({
        id: account,
        name: account,
        credit: 1_000_000,
        ...(isLimited ? ofMember : {}),
      })),
      users: sets
        .filter(({ isLimited }) => isLimited)
        .map(({ account }) => ({
          email: user,
          accounts: [{ id: account, role: 'member', ...ofMember }],
        })),
      keys: [
        ...sets.map(({ key, account, group, model, isLimited }) => ({
          id: key,
          account,
          name: key,
          value: `env:${isLimited ? limitedKeyVariable : gatewayKeyVariable}`,
          groups: [group],
          ...(isLimited ? ofKey(model) : {}),
        })),
        ...(plan.isLimited ? [usualKeyIn('bench', 'default')] : []),
      ],
    },
  })
}

function usualKeyIn(account: string, group: string) {
  const key = { id: 'usual', account, name: 'usual', value: `env:${usualKeyVariable}` }
  return { ...key, groups: [group], ...rates, ...budgets }
}
