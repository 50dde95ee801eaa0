import { describe, expect, test } from 'bun:test'
import { upstreamDefinition } from '../../../src/catalog/definition/upstream.ts'
import { type Given, loadText, refusalOf } from './load-text.ts'

const certificate = `-----BEGIN CERTIFICATE-----
MIIBfjCCASWgAwIBAgIUBBQiUcqeJXFjkud6x+Ra7sI+Xo0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJdGVzdCByb290MCAXDTI2MTExNTA5MDYwMFoYDzIxMjYxMDIy
MDkwNjAwWjAUMRIwEAYDVQQDDAl0ZXN0IHJvb3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARSD0f/8+wKL3LmtW0Ailflg9AYJSy2Vyx5t1ij03MCuIDZlURzVLZ3
J0JWlkMuQdBzDa+Y2M7UAchrjCP8yF25o1MwUTAdBgNVHQ4EFgQU4+jUbRpsyPtx
yTLTUMTZ7ZHmj0UwHwYDVR0jBBgwFoAU4+jUbRpsyPtxyTLTUMTZ7ZHmj0UwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAN8yUuz0iOww/cRfexDxAu
6M0nbyv7qBuDerRlZ07DFQIgBP5fvW7jA2X0crstT0DDRyplszDkBJybZbXM6Blm
8Vk=
-----END CERTIFICATE-----`
const files = {
  '/srv/our-ca.pem': `some words\n${certificate}\n-----BEGIN PRIVATE KEY-----\nhidden\n-----END PRIVATE KEY-----\n`,
  '/srv/empty.pem': 'nothing\n',
}

const whole = `
provision:
  groups:
    - { id: closed, accounts: [acme, { id: beta, until: 2027-01-01T00:00:00Z }], fallbacks: { gpt-x: [gpt-y], gpt-z: gpt-y } }
    - { id: open, accounts: all }
    - { id: nobody, accounts: }
  upstreams:
    - id: one
      vendor: openai
      credentials: [env:A, { name: second, value: env:B }, plain-secret]
      concurrency: 50
      timeouts: { connectMs: 1000, idleMs: 2000 }
      proxy: http://user:pass@proxy:3128
      ca: ./our-ca.pem
      privateAddresses: true
      billsOnAbort: false
      probe: { everyMs: 30000, model: gpt-x }
      enabled: false
      parameters: { drop: [seed] }
      models:
        - gpt-x
        - { id: gpt-y, as: theirs, priority: 1, weight: 0, parameters: { rename: { a: b }, clamp: { temperature: [0, null] }, default: { top_p: 0.9 }, outputLimit: max_tokens, headers: { X-Team: red } } }
    - { id: two, vendor: openai, models: [], credentials: [], concurrency: none, proxy: none, ca: none, probe: none, timeouts: {}, parameters: {} }
    - { id: three, vendor: openai, models: [] }
`

test('all fields of groups and upstreams', () => {
  const { groups, upstreams } = loadText({
    text: whole,
    env: { A: 'aa', B: 'bb' },
    files,
  }).provision
  expect(groups.map(({ grants }) => grants)).toEqual([
    [
      { accountId: 'acme', until: null },
      { accountId: 'beta', until: Date.UTC(2027, 0, 1) },
    ],
    null,
    [],
  ])
  expect(groups[0]?.fallbacks).toEqual({ 'gpt-x': ['gpt-y'], 'gpt-z': ['gpt-y'] })
  expect(upstreams[0]).toMatchObject({
    credentials: [
      { name: 'A', value: 'aa' },
      { name: 'second', value: 'bb' },
      { name: '3', value: 'plain-secret' },
    ],
    concurrencyMax: 50,
    timeouts: { connectMs: 1000, idleMs: 2000 },
    ca: `${certificate}\n`,
    allowsPrivate: true,
    billsOnAbort: false,
    probe: { everyMs: 30_000, model: 'gpt-x' },
    parameters: { drop: ['seed'] },
    proxy: 'http://user:pass@proxy:3128',
    isEnabled: false,
    models: [
      { model: 'gpt-x', upstreamModel: 'gpt-x' },
      {
        model: 'gpt-y',
        upstreamModel: 'theirs',
        priority: 1,
        weight: 0,
        parameters: {
          rename: { a: 'b' },
          clamp: { temperature: [0, null] },
          default: { top_p: 0.9 },
          outputLimit: 'max_tokens',
          headers: { 'x-team': 'red' },
        },
      },
    ],
  })
})

test('a reset field differs from an absent one', () => {
  const [, two, three] = loadText({ text: whole, env: { A: 'a', B: 'b' }, files }).provision
    .upstreams
  expect(two).toMatchObject({
    credentials: [],
    concurrencyMax: null,
    ca: null,
    probe: null,
    timeouts: {},
    parameters: {},
    proxy: null,
  })
  expect(three?.credentials).toBeUndefined()
  const kept = Object.entries(upstreamDefinition.fields).filter(([, field]) => 'absent' in field)
  expect(kept.length).toBeGreaterThan(8)
  expect(kept.filter(([name]) => Reflect.get(three ?? {}, name) !== undefined)).toEqual([])
})

function upstream(fields: string): Given {
  return {
    text: `provision:\n  upstreams: [{ id: u, vendor: openai, models: [], ${fields} }]`,
    files,
  }
}

function model(parameters: string): Given {
  return upstream(`parameters: { ${parameters} }`)
}

const at = 'tollgate.yaml:2: provision.upstreams[0]'
const wrong: [string, Given, string][] = [
  [
    'an unknown field',
    upstream('concurency: 5'),
    'tollgate.yaml:2: unknown name "concurency" in provision.upstreams[0]; did you mean "concurrency"?',
  ],
  [
    'an unknown timeout',
    upstream('timeouts: { conectMs: 5 }'),
    'tollgate.yaml:2: unknown name "conectMs" in provision.upstreams[0].timeouts; did you mean "connectMs"?',
  ],
  [
    'an unknown kind of rule',
    model('dorp: [a]'),
    'tollgate.yaml:2: unknown name "dorp" in provision.upstreams[0].parameters; did you mean "drop"?',
  ],
  [
    'a timeout of 0',
    upstream('timeouts: { idleMs: 0 }'),
    `${at}.timeouts.idleMs must be a number of milliseconds from 1 to 86400000, not 0.`,
  ],
  [
    'a probe that is too frequent',
    upstream('probe: { everyMs: 10 }'),
    `${at}.probe.everyMs must be a number of milliseconds from 1000 to 86400000, not 10.`,
  ],
  [
    'a concurrency of 0',
    upstream('concurrency: 0'),
    `${at}.concurrency must be a whole number from 1 to 1000000000, not 0.`,
  ],
  [
    'both credential and credentials',
    upstream('credential: hidden, credentials: [hidden]'),
    `${at}.credentials cannot be used together with "credential"; keep one of them.`,
  ],
  [
    'two credentials with the same name',
    upstream('credentials: [{ name: a, value: hidden }, { name: a, value: hidden2 }]'),
    `${at}.credentials[1] repeats the name "a"; choose another name.`,
  ],
  [
    'a credential with a space',
    upstream('credentials: [hidden it is]'),
    `${at}.credentials[0] must be printable text without spaces.`,
  ],
  [
    'a credential in a variable that is not set',
    upstream('credentials: [env:NOWHERE]'),
    `${at}.credentials[0] refers to the environment variable NOWHERE, which is not set; set it.`,
  ],
  [
    'a proxy with another scheme',
    upstream('proxy: socks://hidden'),
    `${at}.proxy must be an http:// URL such as http://user:password@proxy.example.com:3128.`,
  ],
  [
    'a CA file that does not exist',
    upstream('ca: nowhere.pem'),
    `${at}.ca names the file nowhere.pem, which cannot be read (ENOENT); correct the path.`,
  ],
  [
    'a CA file without a certificate',
    upstream('ca: empty.pem'),
    `${at}.ca names the file empty.pem, which contains no PEM certificate; name another file.`,
  ],
  [
    'a rule that drops the model',
    model('drop: [model]'),
    `${at}.parameters.drop[0] cannot change "model": the gateway needs it to price and read the response; remove this rule.`,
  ],
  [
    'a default for stream',
    model('default: { stream: true }'),
    `${at}.parameters.default.stream cannot change "stream": the gateway needs it to price and read the response; remove this rule.`,
  ],
  [
    'a header with a credential',
    model('headers: { Authorization: hidden }'),
    `${at}.parameters.headers.Authorization cannot be set: add credentials to the upstream’s credentials instead.`,
  ],
  [
    'the header host',
    model('headers: { host: h }'),
    `${at}.parameters.headers.host cannot be set: the connection sets this header; remove it.`,
  ],
  [
    'an unknown name for the output limit',
    model('outputLimit: max_token'),
    `${at}.parameters.outputLimit "max_token" is unknown; did you mean "max_tokens"?`,
  ],
  [
    'a clamp with one bound',
    model('clamp: { t: [1] }'),
    `${at}.parameters.clamp.t must be a minimum and a maximum, such as [0, 1], not a list.`,
  ],
  [
    'an invalid account id',
    { text: 'provision:\n  groups: [{ id: g, accounts: [acme, "no account"] }]' },
    'tollgate.yaml:2: provision.groups[0].accounts[1] must be 1 to 128 letters, digits or . _ : @ / + -, starting with a letter or digit, not "no account".',
  ],
  [
    'another word for all accounts',
    { text: 'provision:\n  groups: [{ id: g, accounts: every }]' },
    'tollgate.yaml:2: provision.groups[0].accounts must be a list of accounts, or all, not "every".',
  ],
  [
    'a model as its own fallback',
    { text: 'provision:\n  groups: [{ id: g, fallbacks: { a: [b, a] } }]' },
    'tollgate.yaml:2: provision.groups[0].fallbacks.a names "a" as its own fallback; choose another model.',
  ],
]

describe('invalid groups and upstreams', () => {
  test.each(wrong)('%s', (_, given, sentence) => {
    const refusal = refusalOf(given)
    expect(refusal).toBe(sentence)
    expect(refusal).not.toContain('hidden')
  })
})
