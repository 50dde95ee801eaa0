import { chatBody } from '../support/gateway/ask.ts'

/** Nano-US-dollars per token, as in the config file below. */
export const inputNano = 2_500n
export const outputNano = 10_000n

export const outputTokensMax = 100
const promptTokens = 100

export interface ChaosKey {
  readonly id: string
  readonly value: string
  readonly account: string
  /** The email address of the owner; absent for a service key. */
  readonly owner?: string
  readonly quotaDollars?: number
  /** Budgets and their calendar, as in the config file. */
  readonly budgets?: object
}

export interface ChaosShop {
  readonly accounts: readonly {
    readonly id: string
    readonly creditDollars: number
    readonly budgets?: object
  }[]
  readonly keys: readonly ChaosKey[]
  /** Users, as in the config file. */
  readonly users?: readonly object[]
}

export function chaosKey(id: string, account: string, quotaDollars?: number): ChaosKey {
  const key = { id, account, value: `chaos-key-${id}-0123456789abcdef` }
  return quotaDollars === undefined ? key : { ...key, quotaDollars }
}

export function chaosConfig(shop: ChaosShop, upstreamUrl: string, databaseUrl?: string): object {
  return {
    listen: '127.0.0.1:0',
    demo: 'off',
    ...(databaseUrl === undefined ? {} : { database: databaseUrl }),
    provision: {
      groups: [{ id: 'default', factor: 1 }],
      models: [{ id: 'gpt-x', price: { input: 2.5, cacheRead: 1.25, output: 10 } }],
      upstreams: [
        {
          id: 'one',
          vendor: 'openai-compatible',
          protocol: 'chat-completions',
          baseUrl: `${upstreamUrl}/v1`,
          credential: 'sk-upstream-0123456789abcdef',
          groups: ['default'],
          models: ['gpt-x'],
        },
      ],
      accounts: shop.accounts.map(({ id, creditDollars, budgets }) => ({
        id,
        name: id,
        credit: creditDollars,
        ...budgets,
      })),
      users: shop.users ?? [],
      keys: shop.keys.map(({ id, account, owner, value, quotaDollars, budgets }) => ({
        id,
        account,
        ...(owner === undefined ? {} : { owner }),
        name: id,
        value,
        groups: ['default'],
        ...(quotaDollars === undefined ? {} : { quota: quotaDollars }),
        ...budgets,
      })),
    },
  }
}

/** Every request has a number that determines its cost, so that each entry can be matched to its request. */
export function numberedBody(number: number, isStream: boolean): object {
  const messages = [{ role: 'user', content: `request ${number}.` }]
  return chatBody({ messages, stream: isStream, max_tokens: outputTokensMax })
}

export function numberIn(body: string): number {
  return Number(/request (\d+)\./.exec(body)?.[1] ?? Number.NaN)
}

export function usageOf(number: number): {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
} {
  const completion = 1 + (number % (outputTokensMax - 10))
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completion,
    total_tokens: promptTokens + completion,
  }
}

export function costOf(number: number): bigint {
  const usage = usageOf(number)
  return BigInt(usage.prompt_tokens) * inputNano + BigInt(usage.completion_tokens) * outputNano
}
