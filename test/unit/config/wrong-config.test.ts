import { describe, expect, test } from 'bun:test'
import { settings as allSettings } from '../../../src/config/settings.ts'
import { loadConfig } from '../../../src/config.ts'
import { vendors } from '../../../src/vendors/index.ts'
import { type Given, refusalOf } from './load-text.ts'

const listenMust =
  'must be host:port such as 127.0.0.1:8080, [::1]:8080, or :8080 for every interface'
const dollarsMust =
  'must be an amount in US$ such as 5.00, not negative, with at most nine decimals'

const settings: [string, Given, string][] = [
  [
    'a misspelt setting',
    { text: 'brnad: x' },
    'tollgate.yaml:1: unknown setting "brnad"; did you mean "brand"?',
  ],
  [
    'a setting in another case',
    { text: '\ntrustedproxies: []' },
    'tollgate.yaml:2: unknown setting "trustedproxies"; did you mean "trustedProxies"?',
  ],
  [
    'an unknown setting',
    { text: 'colour: red' },
    `tollgate.yaml:1: unknown setting "colour"; the valid names are ${Object.keys(allSettings).join(', ')}, provision.`,
  ],
  [
    'a misspelt variable',
    { env: { TOLLGATE_LISTN: ':1' } },
    'Unknown environment variable "TOLLGATE_LISTN"; did you mean "TOLLGATE_LISTEN"?',
  ],
  [
    'an invalid listen in the file',
    { text: 'listen: 80' },
    `tollgate.yaml:1: listen ${listenMust}, not 80.`,
  ],
  [
    'an invalid listen in a variable',
    { env: { TOLLGATE_LISTEN: 'localhost' } },
    `The environment variable TOLLGATE_LISTEN ${listenMust}, not "localhost".`,
  ],
  [
    'an invalid listen as a flag',
    { flags: { listen: '127.0.0.1:99999' } },
    `The flag --listen ${listenMust}, not "127.0.0.1:99999".`,
  ],
  ['an empty value', { text: 'listen:' }, `tollgate.yaml:1: listen ${listenMust}, not empty.`],
  [
    'database',
    { text: 'database: mysql://u:hidden@h/d' },
    'tollgate.yaml:1: database must be sqlite://path/to/file.db or postgres://user:password@host:port/name; several hosts are separated by commas.',
  ],
  [
    'brand',
    { text: 'brand: Tollgate' },
    'tollgate.yaml:1: brand must be 1 to 32 characters of a-z, 0-9 and inner dashes, not "Tollgate".',
  ],
  [
    'proxy',
    { text: 'trustedProxies: [10.0.0.0/33]' },
    'tollgate.yaml:1: trustedProxies holds "10.0.0.0/33", which is not an address or network such as 10.0.0.0/8 or ::1.',
  ],
  [
    'an origin with a path',
    { text: 'webOrigins: [https://chat.example.com/app]' },
    'tollgate.yaml:1: webOrigins holds "https://chat.example.com/app", which is neither * nor an origin such as https://chat.example.com, without a path.',
  ],
  [
    'an origin without a scheme',
    { env: { TOLLGATE_WEB_ORIGINS: '*,chat.example.com' } },
    'The environment variable TOLLGATE_WEB_ORIGINS holds "chat.example.com", which is neither * nor an origin such as https://chat.example.com, without a path.',
  ],
  [
    'a secret that is too short',
    { text: 'secret: hidden' },
    'tollgate.yaml:1: secret must have at least 32 characters.',
  ],
  [
    'a secret from a variable that is not set',
    { text: 'secret: env:NOWHERE' },
    'tollgate.yaml:1: secret refers to the environment variable NOWHERE, which is not set; set it.',
  ],
  [
    'an unknown log level',
    { flags: { 'log-level': 'verbose' } },
    'The flag --log-level must be one of debug, info, warn, error, not "verbose".',
  ],
  ['demo', { text: 'demo: true' }, 'tollgate.yaml:1: demo must be one of auto, on, off, not true.'],
  [
    'size',
    { text: 'bodyBytesMax: 32Mb/s' },
    'tollgate.yaml:1: bodyBytesMax must be a size between 1KiB and 1GiB such as 32MiB, or a number of bytes, not "32Mb/s".',
  ],
  [
    'a password in a URL that allows none',
    { text: 'otlpEndpoint: http://u:pa/ss@w0rd@127.0.0.1:4318' },
    'tollgate.yaml:1: otlpEndpoint must be a URL such as http://127.0.0.1:4318, without a user, query or fragment, not "http://••••••@127.0.0.1:4318".',
  ],
  [
    'a public URL without a scheme',
    { text: 'publicUrl: models.example.com' },
    'tollgate.yaml:1: publicUrl must be a URL such as https://models.example.com, without a query or fragment, not "models.example.com".',
  ],
  [
    'too many lame-duck seconds',
    { text: 'lameDuckSeconds: 601' },
    'tollgate.yaml:1: lameDuckSeconds must be a number of seconds between 0 and 600, not 601.',
  ],
  [
    'seconds',
    { text: 'drainSeconds: -1' },
    'tollgate.yaml:1: drainSeconds must be a number of seconds between 0 and 3600, not -1.',
  ],
]

const files: [string, Given, string][] = [
  [
    'a file that is not YAML',
    { text: 'brand: gateway\nlisten: a: b\n' },
    'tollgate.yaml:2: this is not valid YAML: Nested mappings are not allowed in compact mappings; correct the file.',
  ],
  [
    'a duplicate setting',
    { text: 'brand: a\nbrand: b\n' },
    'tollgate.yaml:2: this is not valid YAML: Map keys must be unique; correct the file.',
  ],
  [
    'a list instead of a mapping',
    { text: '- brand' },
    'tollgate.yaml:1: the file must be a mapping of names to values, not a list.',
  ],
  [
    'a missing file, named by a flag',
    { flags: { config: 'other.yaml' } },
    'The config file other.yaml (named by --config) does not exist; create it or name another.',
  ],
  [
    'a missing file, named by a variable',
    { env: { TOLLGATE_CONFIG: '/etc/t.yaml' } },
    'The config file /etc/t.yaml (named by TOLLGATE_CONFIG) does not exist; create it or name another.',
  ],
]

const entry = (list: string, text: string) => ({ text: `provision:\n  ${list}:\n    - ${text}\n` })
const at = 'tollgate.yaml:3: provision'

const provision: [string, Given, string][] = [
  [
    'a password in the URL of an upstream',
    entry('upstreams', '{ id: u, vendor: openai, baseUrl: "https://u:pass@h", models: [] }'),
    `${at}.upstreams[0].baseUrl must be an http:// or https:// URL without user, query or fragment, not "https://••••••@h".`,
  ],
  [
    'a misspelt list',
    { text: 'provision:\n  kyes: []' },
    'tollgate.yaml:2: unknown name "kyes" in provision; did you mean "keys"?',
  ],
  [
    'a misspelt field, which also makes a required one missing',
    entry('keys', '{ id: k, acount: a }'),
    'tollgate.yaml:3: unknown name "acount" in provision.keys[0]; did you mean "account"?',
  ],
  [
    'a misspelt price',
    entry('models', '{ id: m, price: { input: 1, output: 1, cacheReads: 1 } }'),
    'tollgate.yaml:3: unknown name "cacheReads" in provision.models[0].price; did you mean "cacheRead"?',
  ],
  ['a missing field', entry('keys', '{ id: k }'), `${at}.keys[0] needs "account"; add it.`],
  [
    'a price without output',
    entry('models', '{ id: m, price: { input: 1 } }'),
    `${at}.models[0].price needs "output"; add it.`,
  ],
  [
    'a number as an id',
    entry('accounts', '{ id: 12 }'),
    `${at}.accounts[0].id must be 1 to 128 letters, digits or . _ : @ / + -, starting with a letter or digit; put it in quotes if it is text, not 12.`,
  ],
  [
    'a negative credit',
    entry('accounts', '{ id: a, credit: -1 }'),
    `${at}.accounts[0].credit ${dollarsMust}, not -1.`,
  ],
  [
    'a credit with more decimals than a nano',
    entry('accounts', '{ id: a, credit: 0.0000000001 }'),
    `${at}.accounts[0].credit ${dollarsMust}, not 1e-10.`,
  ],
  [
    'a factor with more than six decimals',
    entry('groups', '{ id: g, factor: 1.0000001 }'),
    `${at}.groups[0].factor must be a factor such as 1.5, not negative, with at most six decimals, not 1.0000001.`,
  ],
  [
    'vendor',
    entry('upstreams', '{ id: u, vendor: opnai, models: [] }'),
    `${at}.upstreams[0].vendor "opnai" is unknown; did you mean "openai"?`,
  ],
  [
    'an unknown protocol',
    entry('upstreams', '{ id: u, vendor: openai, protocol: chat, models: [] }'),
    `${at}.upstreams[0].protocol "chat" is unknown; did you mean "chat-completions"?`,
  ],
  [
    'a protocol that this vendor does not speak',
    entry(
      'upstreams',
      '{ id: u, vendor: openai-compatible, protocol: generate-content, baseUrl: http://h, models: [] }',
    ),
    `${at}.upstreams[0].protocol "generate-content" is not supported by the vendor openai-compatible; use one of chat-completions, responses.`,
  ],
  [
    'no base URL',
    entry('upstreams', '{ id: u, vendor: openai-compatible, models: [] }'),
    `${at}.upstreams[0] needs "baseUrl", because the vendor openai-compatible has no default base URL.`,
  ],
  [
    'a base URL with another scheme',
    entry('upstreams', '{ id: u, vendor: openai, baseUrl: ftp://h, models: [] }'),
    `${at}.upstreams[0].baseUrl must be an http:// or https:// URL without user, query or fragment, not "ftp://h".`,
  ],
  [
    'a credential from a variable that is not set',
    entry('upstreams', '{ id: u, vendor: openai, credential: env:NOWHERE, models: [] }'),
    `${at}.upstreams[0].credential refers to the environment variable NOWHERE, which is not set; set it.`,
  ],
  [
    'a password from an empty variable',
    { ...entry('users', '{ email: a@b, password: env:EMPTY }'), env: { EMPTY: '' } },
    `${at}.users[0].password refers to the environment variable EMPTY, which is empty; give it a value.`,
  ],
  [
    'a password too long to sign in with',
    entry('users', `{ email: a@b, password: ${'hidden-'.repeat(40)} }`),
    `${at}.users[0].password must be text of 1 to 256 characters.`,
  ],
  [
    'an unknown role',
    entry('users', '{ email: a@b, role: amin }'),
    `${at}.users[0].role "amin" is unknown; did you mean "admin"?`,
  ],
  [
    'an invalid email address',
    entry('users', '{ email: nobody }'),
    `${at}.users[0].email must be an email address, not "nobody".`,
  ],
  [
    'an unknown account status',
    entry('accounts', '{ id: a, status: suspend }'),
    `${at}.accounts[0].status "suspend" is unknown; did you mean "suspended"?`,
  ],
  [
    'the balance of an account, which the file cannot set',
    entry('accounts', '{ id: a, balance: 5 }'),
    `tollgate.yaml:3: unknown name "balance" in provision.accounts[0]; the valid names are id, name, status, ends, total, daily, weekly, monthly, budgetZone, budgetMonthDay, budgetAlertPercent, requestsPerMinute, tokensPerMinute, concurrentRequests, newMemberDaily, newMemberWeekly, newMemberMonthly, newMemberRequestsPerMinute, newMemberTokensPerMinute, newMemberConcurrentRequests, credit.`,
  ],
  [
    'a key value that is too short',
    entry('keys', '{ id: k, account: a, value: hidden }'),
    `${at}.keys[0].value must be 20 to 512 printable characters without spaces.`,
  ],
  [
    'a key value with a space',
    entry('keys', '{ id: k, account: a, value: hidden but long enough for a key }'),
    `${at}.keys[0].value must be 20 to 512 printable characters without spaces.`,
  ],
  [
    'a key without a group',
    entry('keys', '{ id: k, account: a, groups: [] }'),
    `${at}.keys[0].groups must name at least one group.`,
  ],
  [
    'date',
    entry('keys', '{ id: k, account: a, expires: tomorrow }'),
    `${at}.keys[0].expires must be a date such as 2027-01-01, or a time such as 2027-01-01T00:00:00Z, not "tomorrow".`,
  ],
  [
    'address',
    entry('keys', '{ id: k, account: a, addresses: [localhost] }'),
    `${at}.keys[0].addresses[0] must be an IP address or network such as 10.0.0.0/8 or ::1, not "localhost".`,
  ],
  [
    'the same id twice',
    { text: 'provision:\n  keys:\n    - { id: k, account: a }\n    - { id: k, account: b }\n' },
    'tollgate.yaml:4: provision.keys[1] repeats the id "k" of tollgate.yaml:3; keep one of them.',
  ],
  [
    'a mapping for a list',
    { text: 'provision:\n  keys: { id: k }' },
    'tollgate.yaml:2: provision.keys must be a list, not a mapping.',
  ],
]

for (const [title, rows] of Object.entries({ settings, files, provision })) {
  describe(title, () => {
    for (const [name, given, sentence] of rows) {
      test(name, () => {
        const refusal = refusalOf(given)
        expect(refusal).toBe(sentence)
        expect(refusal).not.toContain('hidden')
      })
    }
  })
}

describe('a config file that cannot be read', () => {
  const rows: [string, string][] = [
    [
      'EACCES',
      'The config file tollgate.yaml cannot be read by this user; change its permissions.',
    ],
    ['EISDIR', 'The config file tollgate.yaml is a folder; name a file.'],
    ['EIO', 'The config file tollgate.yaml cannot be read: broken.'],
  ]
  for (const [code, sentence] of rows) {
    test(code, () => {
      const readFile = () => {
        throw Object.assign(new Error('broken'), { code })
      }
      expect(() => loadConfig({ vendors, env: {}, cwd: '/srv', readFile })).toThrow(sentence)
    })
  }
})
