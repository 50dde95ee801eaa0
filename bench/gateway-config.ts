import { stringify } from 'yaml'
import { benchModel } from './bench-request.ts'

export interface GatewayPlan {
  readonly folder: string
  readonly port: number
  readonly upstreamUrl: string
}

/** nginx writes no access log here either: the bench compares the work of forwarding. */
export const gatewayLogLevel = 'warn'
export const gatewayKeyVariable = 'BENCH_GATEWAY_KEY'
export const upstreamKeyVariable = 'BENCH_UPSTREAM_KEY'

export function gatewayConfig(plan: GatewayPlan): string {
  return stringify({
    listen: `127.0.0.1:${plan.port}`,
    database: `sqlite://${plan.folder}/tollgate.db`,
    data: plan.folder,
    demo: 'off',
    logLevel: gatewayLogLevel,
    provision: {
      groups: [{ id: 'default', factor: 1 }],
      models: [{ id: benchModel, price: { input: 2.5, output: 10 }, maxOutputTokens: 16_384 }],
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
      accounts: [{ id: 'bench', name: 'Bench', credit: 1_000_000 }],
      keys: [
        {
          id: 'bench',
          account: 'bench',
          name: 'bench',
          value: `env:${gatewayKeyVariable}`,
          groups: ['default'],
        },
      ],
    },
  })
}
