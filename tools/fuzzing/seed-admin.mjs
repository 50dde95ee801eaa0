/*
 * Creates some objects of each kind, so that operations have objects to read, change and delete. The names are short,
 * because a generator produces short names.
 */

/** Number of objects of each kind that the operations consume. */
const spares = 12
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
  ['PUT', '/accounts/a', { name: 'A' }],
  ['PUT', '/accounts/0', { name: '0' }],
  ['POST', '/accounts/a/credits', { amountNano: '5000', reason: 'seed', externalId: 'a' }],
  ['PUT', '/keys/0', { accountId: '0', name: '0', groups: ['0'] }],
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

/**
 * @param {string} url of the gateway
 * @param {string} token
 * @returns {Promise<import('./write-config.mjs').KnownIds>} what is there now
 */
export async function seedAdmin(url, token) {
  /** @param {string} method @param {string} path @param {object} [body] @param {string} [as] */
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
  const { value } = await call('PUT', '/keys/a', { accountId: 'a', name: 'A', groups: ['a'] })
  const owner = await call('POST', '/tokens', { name: 'a', scopes: ['all'], accountId: 'a' })
  for (const at of numbers) {
    await call('PUT', `/groups/doomed-${at}`, {})
    await call('PUT', `/models/doomed-${at}`, { displayName: 'A' })
    await call('PUT', `/upstreams/doomed-${at}`, { vendor: 'openai' })
    await call('PUT', `/keys/doomed-${at}`, { accountId: 'a', name: 'A', groups: ['a'] })
    await call('POST', '/upstreams/0/credentials', { name: `c${at}`, value: `not-a-secret-${at}` })
    await call('POST', '/accounts/a/credits', {
      amountNano: '1',
      reason: 'seed',
      externalId: `c${at}`,
    })
    await call('POST', '/users', { email: `doomed-${at}@example.com` })
    const accounts = [{ id: 'a', role: 'member' }]
    await call('POST', '/users', { email: `member-${at}@example.com`, accounts })
    const invited = { email: `invited-${at}@example.com`, role: 'member' }
    await call('POST', '/accounts/a/members', invited, owner.value)
    await call('POST', '/tokens', { name: 'doomed', scopes: ['read'] })
  }
  return readIds(call, await requestOf(url, value))
}

/**
 * A request that reaches no upstream is in the usage log like any other.
 * @param {string} url
 * @param {string} key
 * @returns {Promise<string>} its id
 */
async function requestOf(url, key) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'a', messages: [{ role: 'user', content: 'a' }] }),
  })
  await response.text()
  return response.headers.get('x-request-id') ?? ''
}

/**
 * @param {(method: string, path: string) => Promise<any>} call
 * @param {string} requestId
 */
async function readIds(call, requestId) {
  const { users } = await call('GET', '/users?limit=100')
  const { members, credits } = await call('GET', '/accounts/a')
  const { credentials } = await call('GET', '/upstreams/a')
  const { credentials: spare } = await call('GET', '/upstreams/0')
  const { tokens } = await call('GET', '/tokens')
  /** @param {any[]} rows @param {RegExp} email */
  const idsOf = (rows, email) =>
    rows.filter((row) => email.test(row.email)).map((row) => row.id ?? row.userId)
  const doomed = numbers.map((at) => `doomed-${at}`)
  const half = spares / 2
  const ofMembers = idsOf(members, /^member-/)
  return {
    accounts: ['a', '0'],
    groups: ['a', '0'],
    'groups-doomed': doomed,
    models: ['a', '0'],
    'models-doomed': doomed,
    upstreams: ['a', '0'],
    'upstreams-doomed': doomed,
    keys: ['a', '0'],
    'keys-doomed': doomed,
    credentials: credentials.map((/** @type {any} */ each) => each.id),
    'credentials-doomed': spare.map((/** @type {any} */ each) => each.id),
    credits: credits.map((/** @type {any} */ each) => each.id),
    users: idsOf(users, /^member-/),
    'users-doomed': idsOf(users, /^doomed-/),
    'users-invited': idsOf(members, /^invited-/),
    members: ofMembers.slice(half),
    'members-doomed': ofMembers.slice(0, half),
    'tokens-doomed': tokens
      .filter((/** @type {any} */ each) => each.name === 'doomed')
      .map((/** @type {any} */ each) => each.id),
    usage: [requestId],
    vendors: ['openai', 'anthropic'],
  }
}
