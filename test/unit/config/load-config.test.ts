import { describe, expect, test } from 'bun:test'
import { complete } from '../../../src/fields/definition.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { noBudgets } from '../../support/store/row-helpers.ts'
import { loadText } from './load-text.ts'

const whole = `
listen: 127.0.0.1:8080
database: sqlite://data/tollgate.db        # or postgres://…
brand: gateway                             # x-gateway-request-id
trustedProxies: []
provision:
  groups:    [{ id: default, factor: 1 }, { id: premium, factor: 1.5 }]
  models:    [{ id: gpt-x, price: { input: 2.50, cacheRead: 1.25, output: 10 }, maxOutputTokens: 16384 }]
  upstreams: [{ id: one, vendor: openai-compatible, protocol: chat-completions, baseUrl: http://127.0.0.1:9100/v1,
                credential: env:ONE_KEY, groups: [default], models: [gpt-x, { id: gpt-y, as: their-name-for-y }], priority: 0, weight: 1 }]
  accounts:  [{ id: acme, name: Acme, credit: 25.00 }]
  users:     [{ email: A@example.com, password: env:A_PASSWORD, role: admin, accounts: [acme] }]
  keys:      [{ id: k1, account: acme, name: laptop, value: env:K1, groups: [default], models: [gpt-x], quota: 5.00,
                expires: 2027-01-01T00:00:00Z, addresses: [127.0.0.0/8, ::1], enabled: true }]
`
const env = { ONE_KEY: 'one-secret', A_PASSWORD: 'correct horse', K1: 'existing-key-0123456789' }

test('without a configuration every setting has its default', () => {
  const { inForce, ...config } = loadText({})
  expect(config).toEqual({
    listen: { hostname: '127.0.0.1', port: 8080 },
    database: 'sqlite:///srv/data/tollgate.db',
    readDatabase: undefined,
    data: '/srv/data',
    brand: 'gateway',
    trustedProxies: [],
    webOrigins: [],
    secret: undefined,
    formerSecret: undefined,
    secretRefreshMs: 300_000,
    replica: undefined,
    workers: 1,
    logLevel: 'info',
    accessLog: 'on',
    accessLogSampleRate: 1,
    accessLogFileBytesMax: 100 * 1024 ** 2,
    accessLogFilesMax: 5,
    demo: 'auto',
    bodyBytesMax: 33_554_432,
    limits: undefined,
    limitsFallback: 'local',
    rateLimitCachedInput: 'count',
    queueMs: 0,
    queueLengthMax: 1_000,
    drainMs: 30_000,
    lameDuckMs: 5_000,
    publicUrl: undefined,
    responseRetentionMs: 30 * 24 * 60 * 60 * 1000,
    usageRetentionMs: 0,
    isRecordingAllowed: true,
    recordingBodyBytesMax: 1024 ** 2,
    recordingAccountBytesMax: 256 * 1024 ** 2,
    recordingRetentionMs: 90 * 24 * 60 * 60 * 1000,
    isPrivateMediaAllowed: false,
    showsUpstreamsToMembers: false,
    mediaBytesMax: 268_435_456,
    durability: 'journal',
    journalBytesMax: 1024 ** 3,
    metricsListen: undefined,
    metricsToken: undefined,
    metricsOwners: 'off',
    otlpEndpoint: undefined,
    otlpHeaders: undefined,
    otlpSignals: ['traces', 'metrics', 'logs'],
    traceSampleRate: 0.1,
    traceParents: 'accept',
    traceUpstreams: [],
    bodiesInFlightBytesMax: 256 * 1024 * 1024,
    connectionsPerAddressMax: 'auto',
    connectionsMax: 16_384,
    confirmGrantsFrom: 10_000,
    openId: undefined,
    smtp: undefined,
    isPrivateWebhookAllowed: false,
    provision: {
      groups: [],
      models: [],
      upstreams: [],
      accounts: [],
      users: [],
      keys: [],
      alerts: [],
    },
    environmentCredentials: {},
    file: undefined,
  })
  expect(inForce.every(({ source }) => source === 'default')).toBe(true)
})

test('the whole file is read, and amounts are exact', () => {
  const { provision, file } = loadText({ text: whole, env })
  expect(file).toEqual({ path: 'tollgate.yaml', holdsSecrets: false })
  expect(provision.groups).toEqual([
    { id: 'default', factor: 1_000_000n, where: 'tollgate.yaml:7' },
    { id: 'premium', factor: 1_500_000n, where: 'tollgate.yaml:7' },
  ])
  expect(provision.models).toEqual([
    {
      id: 'gpt-x',
      displayName: 'gpt-x',
      ownedBy: 'tollgate',
      contextTokens: null,
      maxOutputTokens: 16_384,
      price: {
        inputNano: 2_500_000_000n,
        cacheReadNano: 1_250_000_000n,
        cacheWrite5mNano: 2_500_000_000n,
        cacheWrite1hNano: 2_500_000_000n,
        outputNano: 10_000_000_000n,
        requestNano: 0n,
      },
      where: 'tollgate.yaml:8',
    },
  ])
  expect(provision.upstreams).toEqual([
    {
      id: 'one',
      vendor: 'openai-compatible',
      protocol: 'chat-completions',
      baseUrl: 'http://127.0.0.1:9100/v1',
      credentials: [{ name: 'first', value: 'one-secret' }],
      groups: ['default'],
      models: [
        { model: 'gpt-x', upstreamModel: 'gpt-x' },
        { model: 'gpt-y', upstreamModel: 'their-name-for-y' },
      ],
      priority: 0,
      weight: 1,
      where: 'tollgate.yaml:9',
    },
  ])
  expect(provision.accounts).toEqual([
    { id: 'acme', name: 'Acme', creditNano: 25_000_000_000n, where: 'tollgate.yaml:11' },
  ])
  expect(provision.users).toEqual([
    {
      email: 'a@example.com',
      password: 'correct horse',
      role: 'admin',
      accounts: [{ id: 'acme' }],
      where: 'tollgate.yaml:12',
    },
  ])
  expect(provision.keys).toEqual([
    {
      ...complete(keyDefinition, { accountId: 'acme', name: 'laptop' }),
      id: 'k1',
      value: 'existing-key-0123456789',
      models: ['gpt-x'],
      quotaNano: 5_000_000_000n,
      expiresAt: Date.UTC(2027, 0, 1),
      addresses: ['127.0.0.0/8', '::1'],
      where: 'tollgate.yaml:13',
    },
  ])
})

test('a key with only the required fields', () => {
  const { provision } = loadText({ text: 'provision:\n  keys: [{ id: k, account: a }]' })
  const defaults = complete(keyDefinition, { accountId: 'a', name: 'k' })
  const [key] = provision.keys
  expect(key).toEqual({ ...defaults, id: 'k', value: undefined, where: 'tollgate.yaml:2' })
  // A key without restrictions that works.
  expect(key).toMatchObject({
    ownerId: null,
    groups: ['default'],
    models: null,
    quotaNano: null,
    ...noBudgets,
    expiresAt: null,
    addresses: null,
    isEnabled: true,
    isLocked: false,
  })
})

test('a duplicate in a list counts once', () => {
  const { provision } = loadText({
    text: 'provision:\n  users: [{ email: a@b, accounts: [a, a] }]\n  keys: [{ id: k, account: a, groups: [g, g], models: [m, m] }]',
  })
  expect(provision.keys[0]).toMatchObject({ groups: ['g'], models: ['m'] })
  expect(provision.users[0]?.accounts).toEqual([{ id: 'a' }])
})

test('an empty model list stays a restriction', () => {
  const { provision } = loadText({
    text: 'provision:\n  keys: [{ id: k, account: a, models: [] }]',
  })
  expect(provision.keys[0]?.models).toEqual([])
})

test('an amount with more digits than a float holds is read digit by digit', () => {
  const text = 'provision:\n  accounts: [{ id: a, credit: 12345678.123456789 }]'
  expect(loadText({ text }).provision.accounts[0]?.creditNano).toBe(12_345_678_123_456_789n)
})

test.each([
  ['openai', 'https://api.openai.com/v1', 'any'],
  ['anthropic', 'https://api.anthropic.com', 'messages'],
  ['google', 'https://generativelanguage.googleapis.com', 'generate-content'],
])('%s needs no address and no protocol in the file', (vendor, baseUrl, protocol) => {
  const text = `provision:\n  upstreams: [{ id: o, vendor: ${vendor}, models: [] }]`
  const [upstream] = loadText({ text }).provision.upstreams
  expect(upstream?.baseUrl).toBe(baseUrl)
  expect(upstream?.protocol as string).toBe(protocol)
})

describe('the strongest source wins', () => {
  const text = 'brand: from-file'
  const variable = { TOLLGATE_BRAND: 'from-variable' }
  const rows = [
    { name: 'default', given: {}, brand: 'gateway', source: 'default' },
    { name: 'file', given: { text }, brand: 'from-file', source: 'tollgate.yaml:1' },
    {
      name: 'variable over file',
      given: { text, env: variable },
      brand: 'from-variable',
      source: 'TOLLGATE_BRAND',
    },
    {
      name: 'flag over both',
      given: { text, env: variable, flags: { brand: 'from-flag' } },
      brand: 'from-flag',
      source: '--brand',
    },
    {
      name: 'an empty variable counts as not set',
      given: { text, env: { TOLLGATE_BRAND: '' } },
      brand: 'from-file',
      source: 'tollgate.yaml:1',
    },
  ]
  for (const { name, given, brand, source } of rows) {
    test(name, () => {
      const config = loadText(given)
      expect(config.brand).toBe(brand)
      expect(config.inForce.find((each) => each.name === 'brand')?.source).toBe(source)
    })
  }
})

describe('values as people write them', () => {
  const rows: [string, string, string, unknown][] = [
    ['listen', ':8080', 'listen', { hostname: '0.0.0.0', port: 8080 }],
    ['listen', "'[::1]:0'", 'listen', { hostname: '::1', port: 0 }],
    ['listen', 'localhost:65535', 'listen', { hostname: 'localhost', port: 65_535 }],
    ['bodyBytesMax', '1MiB', 'bodyBytesMax', 1_048_576],
    ['bodyBytesMax', '2048', 'bodyBytesMax', 2_048],
    ['bodyBytesMax', '1.5 MB', 'bodyBytesMax', 1_500_000],
    ['drainSeconds', '0.5', 'drainMs', 500],
    ['lameDuckSeconds', '0.5', 'lameDuckMs', 500],
    ['responseRetentionDays', '0.5', 'responseRetentionMs', 43_200_000],
    ['usageRetentionDays', '90', 'usageRetentionMs', 90 * 86_400_000],
    ['privateMedia', 'on', 'isPrivateMediaAllowed', true],
    ['upstreamsForMembers', 'on', 'showsUpstreamsToMembers', true],
    ['mediaBytesMax', '64MiB', 'mediaBytesMax', 67_108_864],
    ['durability', 'fsync', 'durability', 'fsync'],
    ['journalBytesMax', '64MiB', 'journalBytesMax', 64 * 1024 * 1024],
    ['demo', 'off', 'demo', 'off'],
    ['metricsListen', '127.0.0.1:9090', 'metricsListen', { hostname: '127.0.0.1', port: 9090 }],
    ['metricsToken', 'a-token-of-16-or-more', 'metricsToken', 'a-token-of-16-or-more'],
    ['metricsOwners', 'keys', 'metricsOwners', 'keys'],
    ['otlpEndpoint', 'http://127.0.0.1:4318/', 'otlpEndpoint', 'http://127.0.0.1:4318'],
    ['otlpHeaders', 'A=b c, x-y=z=', 'otlpHeaders', { a: 'b c', 'x-y': 'z=' }],
    ['otlpSignals', 'traces, logs', 'otlpSignals', ['traces', 'logs']],
    ['accessLog', './access.log', 'accessLog', './access.log'],
    ['traceSampleRate', '0', 'traceSampleRate', 0],
    ['traceSampleRate', '.25', 'traceSampleRate', 0.25],
    ['traceParents', 'ignore', 'traceParents', 'ignore'],
    ['traceUpstreams', 'one, two', 'traceUpstreams', ['one', 'two']],
    ['bodiesInFlightBytesMax', '64MiB', 'bodiesInFlightBytesMax', 64 * 1024 * 1024],
    ['connectionsPerAddressMax', 'auto', 'connectionsPerAddressMax', 'auto'],
    ['connectionsPerAddressMax', '20', 'connectionsPerAddressMax', 20],
    ['connectionsMax', '500', 'connectionsMax', 500],
    ['data', '/var/lib/tollgate', 'database', 'sqlite:///var/lib/tollgate/tollgate.db'],
    ['database', 'postgres://u@h/d', 'database', 'postgres://u@h/d'],
    ['database', 'sqlite://x.db', 'database', 'sqlite:///srv/x.db'],
  ]
  for (const [name, written, field, expected] of rows) {
    test(`${name}: ${written}`, () => {
      expect(loadText({ text: `${name}: ${written}` })).toHaveProperty(field, expected)
    })
  }
  test('a list in a variable is separated by commas', () => {
    const config = loadText({ env: { TOLLGATE_TRUSTED_PROXIES: '10.0.0.0/8, ::1' } })
    expect(config.trustedProxies.map(({ prefixLength }) => prefixLength)).toEqual([8, 128])
    const variable = 'https://Chat.example.com, app://obsidian.md,http://[::1]:3000'
    const { webOrigins } = loadText({ env: { TOLLGATE_WEB_ORIGINS: variable } })
    expect(webOrigins).toEqual([
      'https://chat.example.com',
      'app://obsidian.md',
      'http://[::1]:3000',
    ])
  })
})

test('credentials of known vendors are read from the environment, except empty ones', () => {
  const given = {
    OPENAI_API_KEY: 'a',
    ANTHROPIC_API_KEY: '',
    GEMINI_API_KEY: '',
    GOOGLE_API_KEY: 'c',
  }
  expect(loadText({ env: given }).environmentCredentials).toEqual({ openai: 'a', google: 'c' })
})

test('nothing of a config can be changed', () => {
  const config = loadText({ text: whole, env })
  expect(Object.isFrozen(config)).toBe(true)
  expect(Object.isFrozen(config.listen)).toBe(true)
  expect(Object.isFrozen(config.provision.keys[0]?.groups)).toBe(true)
})

test('empty parts of the file count as absent', () => {
  expect(loadText({ text: '' }).brand).toBe('gateway')
  expect(loadText({ text: '# nothing yet\n' }).brand).toBe('gateway')
  expect(loadText({ text: 'provision:\n' }).provision.keys).toEqual([])
  expect(loadText({ text: 'provision:\n  keys:\n' }).provision.keys).toEqual([])
})
