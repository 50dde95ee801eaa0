/*
 * A few things of each kind, so that what is read, changed and deleted is there. The names are such as a generator
 * comes upon: short ones.
 */

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
  ['PUT', '/keys/a', { accountId: 'a', name: 'A', groups: ['a'] }],
  ['PUT', '/keys/0', { accountId: '0', name: '0', groups: ['0'] }],
  ['POST', '/users', { email: 'a@example.com' }],
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
 * @param {string} root
 * @param {string} token
 */
export async function seedAdmin(root, token) {
  for (const [method, path, body] of things) {
    const response = await fetch(root + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  }
}
