/** Programs send it to the console's back end; see src/console-api/contract/basics.ts. */
const consoleHeader = { 'x-tollgate-console': '1' }

/**
 * Creates a user who owns the account, signs the user in, and creates a token as this user. Only a token of an owner
 * may change what the account records.
 * @param {string} url of the gateway
 * @param {import('./seed-admin.mjs').Call} call
 * @param {string} account
 * @returns {Promise<string>} the token
 */
export async function signInOwner(url, call, account) {
  const accounts = [{ id: account, role: 'owner' }]
  const { signInUrl } = await call('POST', '/users', {
    email: `owner-${account}@example.com`,
    accounts,
  })
  const link = new URL(signInUrl).hash.slice(1)
  const signedIn = await send(url, '/sign-in-link', { token: link })
  const cookie = signedIn.headers.getSetCookie().map((each) => each.split(';', 1)[0])
  const body = { name: 'owner', scopes: ['all'], accountId: account }
  const response = await send(url, '/tokens', body, { cookie: cookie.join('; ') })
  return /** @type {any} */ (await response.json()).value
}

/** @param {string} url @param {string} path @param {object} body @param {Record<string, string>} [headers] */
async function send(url, path, body, headers = {}) {
  const response = await fetch(`${url}/console/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...consoleHeader, ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`POST ${path}: ${await response.text()}`)
  return response
}
