import { rootCertificates } from 'node:tls'
import { signInOwner } from './sign-in-owner.mjs'

/*
 * Creates some objects of each kind, so that operations have objects to read, change and delete. The names are short,
 * because a generator produces short names.
 */

/** Number of objects of each kind that the operations consume. */
const spares = 12
/** Number of new ids and email addresses. */
const freshValues = 2_000
const numbers = Array.from({ length: spares }, (_, at) => at)

/** @type {readonly (readonly [string, string, object])[]} */
const things = [
  ['PUT', '/groups/a', { factor: '1.5' }],
  ['PUT', '/groups/0', {}],
  ['PUT', '/models/a', { displayName: 'A', price: price('1000') }],
  ['PUT', '/models/0', { displayName: '0' }],
  ['PUT', '/upstreams/a', { vendor: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }],
  ['PUT', '/upstreams/0', { vendor: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }],
  ['POST', '/upstreams/a/credentials', { name: 'a', value: 'not-a-secret-of-anybody' }],
  ['PUT', '/routes?upstream=a', { routes: [route('a', 'a', 'a')] }],
  ['PUT', '/accounts/acme', { name: 'Acme' }],
  ['PUT', '/accounts/0', { name: '0' }],
  ['POST', '/accounts/acme/credits', { amountNano: '5000', reason: 'seed', externalId: 'a' }],
  ['PUT', '/keys/0', { accountId: '0', name: '0', groups: ['0'] }],
  // The examples in the description name these, and the account acme.
  ['PUT', '/keys/acme-ci', { accountId: 'acme', name: 'CI', groups: ['a'] }],
  [
    'POST',
    '/accounts/acme/credits',
    { amountNano: '5000', reason: 'seed', externalId: 'order-1001' },
  ],
]

/** @param {string} nano */
function price(nano) {
  return {
    inputNano: nano,
    cacheReadNano: nano,
    cacheWrite5mNano: nano,
    cacheWrite1hNano: nano,
    outputNano: nano,
  }
}

/** @param {string} group @param {string} model @param {string} upstream */
function route(group, model, upstream) {
  return { group, model, upstream, upstreamModel: model }
}

/** @param {string} name */
function webhook(name) {
  return {
    accountId: 'acme',
    name,
    channel: 'webhook',
    url: 'http://127.0.0.1:9/',
    secret: 'not-a-secret-of-anybody',
    kinds: ['credit_low'],
  }
}

/**
 * @typedef {(method: string, path: string, body?: object, as?: string) => Promise<any>} Call
 * @typedef {object} Seeded
 * @property {import('./write-config.mjs').KnownValues} known what is there now, and other good values
 * @property {readonly (readonly [string, string])[]} owners of two accounts, with their tokens
 */

/**
 * @param {string} url of the gateway
 * @param {string} token
 * @returns {Promise<Seeded>}
 */
export async function seedAdmin(url, token) {
  /** @type {Call} */
  const call = async (method, path, body, as = token) => {
    const response = await fetch(`${url}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return /** @type {any} */ (await response.json())
  }
  for (const [method, path, body] of things) await call(method, path, body)
  const ownerOfAcme = await signInOwner(url, call, 'acme')
  const ownerOf0 = await signInOwner(url, call, '0')
  const recording = { scope: 'all', isOpenToOperators: true }
  await call('PATCH', '/accounts/acme/recording', recording, ownerOfAcme)
  const { value } = await call('PUT', '/keys/a', { accountId: 'acme', name: 'A', groups: ['a'] })
  for (const at of numbers) await addSpares(call, ownerOfAcme, at)
  const requests = []
  for (const _ of numbers) requests.push(await requestOf(url, value))
  return {
    known: { ...otherValues(), ...(await readIds(call)), usage: requests, recordings: requests },
    owners: [
      ['owner of acme', ownerOfAcme],
      ['owner of 0', ownerOf0],
    ],
  }
}

/**
 * One object of each kind for operations that remove or convert it.
 * @param {Call} call
 * @param {string} owner
 * @param {number} at
 */
async function addSpares(call, owner, at) {
  await call('PUT', `/groups/doomed-${at}`, {})
  await call('PUT', `/models/doomed-${at}`, { displayName: 'A' })
  await call('PUT', `/upstreams/doomed-${at}`, { vendor: 'openai' })
  await call('PUT', `/keys/doomed-${at}`, { accountId: 'acme', name: 'A', groups: ['a'] })
  await call('PUT', `/accounts/stopped-${at}`, { name: 'A' })
  await call('POST', '/upstreams/0/credentials', { name: `c${at}`, value: `not-a-secret-${at}` })
  const credit = { amountNano: '1', reason: 'seed', externalId: `c${at}` }
  await call('POST', '/accounts/acme/credits', credit)
  await call('POST', '/users', { email: `doomed-${at}@example.com` })
  const accounts = [{ id: 'acme', role: 'member' }]
  const { user } = await call('POST', '/users', { email: `member-${at}@example.com`, accounts })
  await call('PUT', `/keys/owned-${at}`, { accountId: 'acme', ownerId: user.id, name: 'A' })
  const invited = { email: `invited-${at}@example.com`, role: 'member' }
  await call('POST', '/accounts/acme/members', invited, owner)
  await call('POST', '/tokens', { name: 'doomed', scopes: ['read'], accountId: 'acme' })
  await call('POST', '/alerts?account=acme', webhook('a'))
  await call('POST', '/alerts?account=acme', webhook('doomed'))
}

/**
 * A request that reaches no upstream is in the request log, and is recorded, like any other.
 * @param {string} url
 * @param {string} key
 * @returns {Promise<string>} its id
 */
async function requestOf(url, key) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'a', user: 'a', messages: [{ role: 'user', content: 'a' }] }),
  })
  await response.text()
  return response.headers.get('x-request-id') ?? ''
}

/** Values that a generator does not find, and that a request often needs to be accepted. */
function otherValues() {
  const fresh = Array.from({ length: freshValues }, (_, at) => `new-${at}`)
  const years = [1, 2, 10].map((count) => Date.now() + count * 365 * 24 * 60 * 60_000)
  return {
    'new-ids': fresh,
    'new-emails': fresh.map((each) => `${each}@example.com`),
    'future-times': years,
    certificates: rootCertificates.slice(0, 1),
    'tags-that-match': ['*'],
    'tags-of-nothing': ['"none"'],
    vendors: ['openai', 'anthropic'],
  }
}

/** @param {Call} call */
async function readIds(call) {
  const { users } = await call('GET', '/users?limit=100')
  const { members, credits } = await call('GET', '/accounts/acme')
  const { credentials } = await call('GET', '/upstreams/a')
  const { credentials: spare } = await call('GET', '/upstreams/0')
  const { tokens } = await call('GET', '/tokens')
  const { alerts } = await call('GET', '/alerts?account=acme&limit=100')
  /** @param {any[]} rows @param {RegExp} email */
  const idsOf = (rows, email) =>
    rows.filter((row) => email.test(row.email)).map((row) => row.id ?? row.userId)
  /** @param {any[]} rows @param {string} name */
  const idsNamed = (rows, name) => rows.filter((row) => row.name === name).map((row) => row.id)
  /** @param {string} word */
  const numbered = (word) => numbers.map((at) => `${word}-${at}`)
  const half = spares / 2
  const ofMembers = idsOf(members, /^member-/)
  return {
    accounts: ['acme', '0'],
    'accounts-filled': ['acme'],
    'accounts-stopped': numbered('stopped'),
    groups: ['a', '0'],
    'groups-doomed': numbered('doomed'),
    models: ['a', '0'],
    'models-doomed': numbered('doomed'),
    upstreams: ['a', '0'],
    'upstreams-doomed': numbered('doomed'),
    keys: ['a', '0'],
    'keys-doomed': numbered('doomed'),
    'keys-owned': numbered('owned'),
    credentials: credentials.map((/** @type {any} */ each) => each.id),
    'credentials-doomed': spare.map((/** @type {any} */ each) => each.id),
    credits: credits.map((/** @type {any} */ each) => each.id),
    users: idsOf(users, /^member-/),
    'users-doomed': idsOf(users, /^doomed-/),
    'users-invited': idsOf(members, /^invited-/),
    members: ofMembers.slice(half),
    'members-doomed': ofMembers.slice(0, half),
    'tokens-doomed': idsNamed(tokens, 'doomed'),
    alerts: idsNamed(alerts, 'a'),
    'alerts-doomed': idsNamed(alerts, 'doomed'),
  }
}
