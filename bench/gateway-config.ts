import { stringify } from 'yaml'
import { benchModel } from './bench-request.ts'

export interface GatewayPlan {
  readonly folder: string
  readonly port: number
  readonly upstreamUrl: string
  /** All limits and budgets, too high to be reached. */
  readonly isLimited: boolean
}

/** nginx writes no access log here either: the bench compares the work of forwarding. */
export const gatewayLogLevel = 'warn'
export const gatewayKeyVariable = 'BENCH_GATEWAY_KEY'
export const upstreamKeyVariable = 'BENCH_UPSTREAM_KEY'

export const rateLimitMax = 1_000_000_000
const rates = {
  requestsPerMinute: rateLimitMax,
  tokensPerMinute: rateLimitMax,
  concurrentRequests: 1_000,
}
const budgets = { daily: 100_000, weekly: 200_000, monthly: 300_000, budgetAlertPercent: 80 }
const user = 'bench@example.com'

export function gatewayConfig(plan: GatewayPlan): string {
  const limits = plan.isLimited ? rates : {}
  const ofMember = plan.isLimited ? { ...rates, ...budgets, total: 400_000 } : {}
  const ofKey = plan.isLimited
    ? {
        owner: user,
        ...rates,
        ...budgets,
        quota: 400_000,
        modelLimits: [{ model: benchModel, ...rates }],
      }
    : {}
  return stringify({
    listen: `127.0.0.1:${plan.port}`,
    database: `sqlite://${plan.folder}/tollgate.db`,
    data: plan.folder,
    demo: 'off',
    logLevel: gatewayLogLevel,
    provision: {
      groups: [{ id: 'default', factor: 1, ...limits }],
      models: [
        { id: benchModel, price: { input: 2.5, output: 10 }, maxOutputTokens: 16_384, ...limits },
      ],
      upstreams: [
        {
          id: 'minimal',
          vendor: 'openai-compatible',
          protocol: 'chat-completions',
          baseUrl: `${plan.upstreamUrl}/v1`,
          credential: `env:${upstreamKeyVariable}`,
          groups: ['default'],
          models: [benchModel],
        },
      ],
      accounts: [{ id: 'bench', name: 'Bench', credit: 1_000_000, ...ofMember }],
      users: [{ email: user, accounts: [{ id: 'bench', role: 'member', ...ofMember }] }],
      keys: [
        {
          id: 'bench',
          account: 'bench',
          name: 'bench',
          value: `env:${gatewayKeyVariable}`,
          groups: ['default'],
          ...ofKey,
        },
      ],
    },
  })
}
