import type { Provision, ProvisionKey, ProvisionUpstream } from '../../../src/config/provision.ts'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { complete } from '../../../src/fields/definition.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'

const where = 'test'
const dollar = 1_000_000_000n

/** The initial credits of the accounts of every test gateway, in nano-US-dollars. */
export const credits = {
  acme: 25n * dollar,
  /** Enough for one request of 1,000 output tokens at a time, but not for two. */
  tight: 20_000_000n,
  /** Less than the possible cost of one image without a known price. */
  small: 50_000_000n,
  broke: 0n,
  suspended: dollar,
  ended: dollar,
} as const

export type AccountName = keyof typeof credits

/** A model without a context window. Its name uses every kind of character that names may have. */
export const windowless = 'lab/open:8b'

/** One key of every kind. Absent settings mean no restriction. */
const keyTable = {
  plain: {},
  other: {},
  premium: { groups: ['premium'] },
  automatic: { groups: ['default', 'premium'] },
  reversed: { groups: ['premium', 'default'] },
  partlyGone: { groups: ['gone', 'default'] },
  gone: { groups: ['gone'] },
  scoped: { models: ['gpt-x'] },
  modelless: { models: [] },
  quota: { quotaNano: 50_000_000n },
  tightQuota: { quotaNano: 20_000_000n },
  spentQuota: { quotaNano: 1_000n },
  expired: { expiresAt: Date.parse('2020-01-01T00:00:00Z') },
  expiring: { expiresAt: Date.parse('2100-01-01T00:00:00Z') },
  disabled: { isEnabled: false },
  local: { addresses: ['127.0.0.0/8'] },
  remote: { addresses: ['203.0.113.0/24', '2001:db8::/32'] },
  imported: { value: 'brought-along-0123456789abcdef' },
  tight: { accountId: 'tight' },
  broke: { accountId: 'broke' },
  suspended: { accountId: 'suspended' },
  ended: { accountId: 'ended' },
  any: { groups: ['any'] },
  tightAny: { groups: ['any'], accountId: 'tight' },
  smallAny: { groups: ['any'], accountId: 'small' },
  slimAny: { groups: ['any'], quotaNano: 345_000_000n },
  cheapAny: { groups: ['any'], quotaNano: 10_000_000n },
  strict: { groups: ['strict'] },
  backed: { groups: ['backed'] },
  native: { groups: ['native'] },
  thinking: { groups: ['thinking'] },
} as const satisfies Record<string, Partial<ProvisionKey>>

export type KeyName = keyof typeof keyTable
export const keyNames = Object.keys(keyTable) as KeyName[]

export const credentials = {
  one: 'sk-upstream-one-4f9a8b7c6d5e',
  two: 'sk-upstream-two-0a1b2c3d4e5f',
} as const

const entered = (value: string) => [{ name: 'first', value }]

const price = {
  inputNano: 2_500_000_000n,
  cacheReadNano: 1_250_000_000n,
  cacheWrite5mNano: 2_500_000_000n,
  cacheWrite1hNano: 2_500_000_000n,
  outputNano: 10_000_000_000n,
  requestNano: 0n,
}

function model(id: string, isPriced = true): Provision['models'][number] {
  return {
    id,
    displayName: id.toUpperCase(),
    ownedBy: 'tests',
    contextTokens: id === windowless ? null : 128_000,
    maxOutputTokens: 16_384,
    price: isPriced ? price : undefined,
    where,
  }
}

function upstream(
  id: string,
  parts: Pick<ProvisionUpstream, 'baseUrl' | 'credentials' | 'groups' | 'models'> & {
    priority?: number
  },
): ProvisionUpstream {
  const fixed = { vendor: 'openai-compatible', protocol: 'chat-completions', weight: 1 } as const
  return { id, ...fixed, priority: 0, ...parts, where }
}

function group(id: string, own: Partial<Provision['groups'][number]> = {}) {
  return { id, where, ...own }
}

/** The model of the group `thinking`: its upstream speaks chat-completions and expects its own plain reasoning back. */
export const thinkingModel = 'deepseek-via-chat'

/** The model of the groups `any` and `strict` whose upstream speaks this protocol. */
export function viaModel(protocol: ProtocolName): string {
  return viaModels[protocol]
}

/** Names of real model families, so that the traits of their vendors apply. */
const viaModels = {
  'chat-completions': 'via-chat',
  responses: 'gpt-5-via-responses',
  messages: 'claude-sonnet-4-5-via-messages',
  'generate-content': 'gemini-2.5-flash-via-generate',
} as const satisfies Record<ProtocolName, string>

const viaVendors = {
  'chat-completions': { vendor: 'openai-compatible', path: '/v1' },
  responses: { vendor: 'openai', path: '/v1' },
  messages: { vendor: 'anthropic', path: '' },
  'generate-content': { vendor: 'google', path: '' },
} as const satisfies Record<ProtocolName, object>

function viaUpstream(protocol: ProtocolName, url: string): ProvisionUpstream {
  const { vendor, path } = viaVendors[protocol]
  return {
    id: `via-${protocol}`,
    vendor,
    protocol,
    baseUrl: `${url}${path}`,
    credentials: entered(credentials.one),
    groups: ['any', 'strict'],
    models: [same(viaModel(protocol))],
    priority: 0,
    weight: 1,
    where,
  }
}

/** The model of the group `backed` whose first upstream speaks this protocol; the second speaks another. */
export function backedModel(protocol: ProtocolName): string {
  return `${viaModel(protocol)}-backed`
}

/** The protocol of each backed model's second upstream. */
export const backups = {
  'chat-completions': 'messages',
  responses: 'generate-content',
  messages: 'responses',
  'generate-content': 'chat-completions',
} as const satisfies Record<ProtocolName, ProtocolName>

function backedUpstreams(protocol: ProtocolName, urls: { one: string; two: string }) {
  const id = backedModel(protocol)
  const backup = backups[protocol]
  const groups = ['backed']
  return [
    { ...viaUpstream(protocol, urls.one), id: `first-${protocol}`, groups, models: [same(id)] },
    {
      ...viaUpstream(backup, urls.two),
      id: `second-${protocol}`,
      credentials: entered(credentials.two),
      groups,
      models: [{ model: id, upstreamModel: viaModel(backup) }],
      priority: 1,
    },
  ]
}

/** Vendors that get requests in the client's own protocol if they support it, by their model in the group `native`. */
export const nativeModels = {
  openai: 'gpt-5-native',
  anthropic: 'claude-sonnet-4-5-native',
  google: 'gemini-2.5-flash-native',
} as const

function nativeUpstreams(url: string): ProvisionUpstream[] {
  return Object.entries(nativeModels).map(([vendor, id]) => ({
    ...viaUpstream('chat-completions', url),
    id: `native-${vendor}`,
    vendor,
    protocol: 'any' as const,
    baseUrl: url,
    groups: ['native'],
    models: [same(id)],
  }))
}

const same = (model: string) => ({ model, upstreamModel: model })

/**
 * gpt-x has upstream one and, with lower priority, two. gpt-y has only upstream one, under another name. gpt-premium
 * exists only in the more expensive group. gpt-unpriced has no price. No server listens at the upstream of gpt-dead.
 */
export function testProvision(urls: { one: string; two: string }): Provision {
  const one = { baseUrl: `${urls.one}/v1`, credentials: entered(credentials.one) }
  const two = { baseUrl: `${urls.two}/v1`, credentials: entered(credentials.two) }
  return {
    groups: [
      group('default'),
      group('premium', { factor: 1_500_000n }),
      group('gone'),
      group('any'),
      group('strict', { unsupported: 'reject' }),
      group('backed'),
      group('native'),
      group('thinking'),
    ],
    models: [
      model('gpt-x'),
      model('gpt-y'),
      model('gpt-premium'),
      model(windowless),
      model('gpt-dead'),
      model('gpt-unpriced', false),
      ...protocolNames.map((protocol) => model(viaModel(protocol))),
      ...protocolNames.map((protocol) => model(backedModel(protocol))),
      ...Object.values(nativeModels).map((id) => model(id)),
      model(thinkingModel),
    ],
    upstreams: [
      upstream('one', {
        ...one,
        groups: ['default'],
        models: [
          same('gpt-x'),
          { model: 'gpt-y', upstreamModel: 'their-name-for-y' },
          same('gpt-unpriced'),
        ],
      }),
      upstream('two', { ...two, groups: ['default'], models: [same('gpt-x')], priority: 1 }),
      upstream('dear', {
        ...two,
        groups: ['premium'],
        models: [same('gpt-x'), same('gpt-premium'), same(windowless)],
      }),
      upstream('thinking', { ...one, groups: ['thinking'], models: [same(thinkingModel)] }),
      ...protocolNames.map((protocol) => viaUpstream(protocol, urls.one)),
      ...protocolNames.flatMap((protocol) => backedUpstreams(protocol, urls)),
      ...nativeUpstreams(urls.one),
      upstream('dead', {
        baseUrl: 'http://127.0.0.1:1/v1',
        credentials: [],
        groups: ['default'],
        models: [same('gpt-dead')],
      }),
    ],
    accounts: Object.entries(credits).map(([id, creditNano]) => ({
      id,
      name: id,
      creditNano,
      where,
    })),
    users: [],
    keys: keyNames.map((name) => testKey(name, keyTable[name])),
    alerts: [],
  }
}

function testKey(id: string, own: Partial<ProvisionKey>): ProvisionKey {
  return {
    id,
    value: undefined,
    ...complete(keyDefinition, { accountId: 'acme', name: id, ...own }),
    ...own,
    where,
  }
}
