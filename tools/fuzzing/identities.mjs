/*
 * Schemathesis runs twice: as an operator and as the owner of one account, each over what such a token may call. In the
 * second run it also repeats the reads of the owner with the token of another account (object_level_authorization),
 * which must not succeed.
 */

/**
 * @typedef {object} Identity
 * @property {string} name
 * @property {readonly (readonly [string, string])[]} tokens by user; the first one sends the requests
 * @property {(operation: Record<string, any>) => boolean} mayCall
 */

/** @param {string} token @returns {Identity} */
export function operator(token) {
  const mayCall = (/** @type {Record<string, any>} */ operation) =>
    operation['x-reach'] !== 'own-account'
  return { name: 'operator', tokens: [['operator', token]], mayCall }
}

/** @param {readonly (readonly [string, string])[]} tokens of owners of different accounts @returns {Identity} */
export function owner(tokens) {
  return { name: 'owner', tokens, mayCall: (operation) => operation['x-reach'] !== 'gateway' }
}

/**
 * The users in the format of Web Fuzzing Commons.
 * @param {Identity} identity
 */
export function tokensText({ tokens }) {
  const auth = tokens.map(([name, token]) => ({
    name,
    fixedHeaders: [{ name: 'Authorization', value: `Bearer ${token}` }],
  }))
  return JSON.stringify({ auth })
}

/**
 * @param {Identity} identity
 * @param {string} path of the file with the tokens
 * @returns {string[]} lines for the configuration
 */
export function authLines({ tokens }, path) {
  const names = tokens.map(([name]) => name)
  return [
    '[auth.wfc]',
    `path = ${JSON.stringify(path)}`,
    `user = ${JSON.stringify(names[0])}`,
    ...(names.length > 1 ? [`peers = ${JSON.stringify(names)}`] : []),
    '',
  ]
}
