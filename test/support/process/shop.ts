import { chatBody, chatPath } from '../gateway/ask.ts'

/** A deployment with one upstream, one account and one key, as a config file. */
export const shopKey = 'shop-key-0123456789abcdef'

export function shopConfig(upstreamUrl: string, extra: object = {}): object {
  return {
    listen: '127.0.0.1:0',
    demo: 'off',
    ...extra,
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
      accounts: [{ id: 'acme', name: 'Acme', credit: 25 }],
      keys: [{ id: 'k1', account: 'acme', name: 'laptop', value: shopKey, groups: ['default'] }],
    },
  }
}

export function askShop(
  url: string,
  options: { key?: string; body?: object; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${url}${chatPath}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${options.key ?? shopKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(options.body ?? chatBody()),
    ...(options.signal ? { signal: options.signal } : {}),
  })
}
