import { fileURLToPath } from 'node:url'
import { authLines } from './identities.mjs'

/*
 * The API description declares the statuses with which each operation may refuse a request, and Schemathesis gets its
 * expectations from there: an operation that does not declare 422 must not answer with it.
 */

/**
 * Statuses that are allowed for a request that matches the description. This is narrower than what Schemathesis
 * expects of every API: no redirect, no 401 with a valid token, no 5xx.
 */
const positive = {
  always: ['2xx', '403', '404', '409'],
  /**
   * Beyond what Schemathesis expects. 412: a generated If-Match names a tag that the resource does not have. 413: each
   * member is within its limits, but all together are longer than the limit of a body. 422: a rule that no schema can
   * express, such as one about two members. 429 is expected of every API, but here only where declared.
   */
  declared: ['412', '413', '422', '429'],
}
/** Statuses that are allowed for a request that does not match. Narrower too: no 406, 409, 415, 428, 429, 5xx. */
const negative = {
  always: ['400', '401', '403', '404', '405'],
  /**
   * 413 is beyond what Schemathesis expects: a body that is too long is not read to its end. 422 is expected of every
   * API, but here only where declared: the request also breaks a rule that no schema can express.
   */
  declared: ['413', '422'],
}

const hooksPath = fileURLToPath(new URL('repair_tags.py', import.meta.url))

/** The file with the tokens, beside the configuration. */
export const tokensName = 'tokens.json'

/** The share of generated values that come from a dictionary. */
const knownShare = 0.9
/** How deep bodies are searched for names with a dictionary. */
const depthMax = 3

/** The dictionary with good values for a place that ends with these words. */
const dictionaries = Object.entries({
  account: 'accounts',
  accountId: 'accounts',
  key: 'keys',
  keyId: 'keys',
  keyIds: 'keys',
  group: 'groups',
  groups: 'groups',
  model: 'models',
  models: 'models',
  upstream: 'upstreams',
  user: 'members',
  ownerId: 'members',
  credit: 'credits',
  vendor: 'vendors',
  'body.id': 'new-ids',
  'accounts.id': 'accounts',
  externalId: 'new-ids',
  'Idempotency-Key': 'new-ids',
  email: 'new-emails',
  expiresAt: 'future-times',
  endsAt: 'future-times',
  ca: 'certificates',
  // Otherwise nearly every generated change is refused with 412, and shows nothing about its body.
  'If-Match': 'tags-that-match',
  'If-None-Match': 'tags-of-nothing',
})

/**
 * Places of single operations with a dictionary of their own. Some operations use up their objects, so that those of
 * the others remain; some need an account that has the object.
 * @type {readonly (readonly [RegExp, string])[]}
 */
const ownDictionaries = [
  [/^DELETE \/accounts\/\{id\}\/members query\.user$/, 'members-doomed'],
  [/^POST \/users\/\{id\}\/vouch path\.id$/, 'users-invited'],
  [/^POST \/keys\/\{id\}\/convert path\.id$/, 'keys-owned'],
  [/^POST \/accounts\/\{id\}\/release path\.id$/, 'accounts-stopped'],
  [/^POST \/accounts\/\{id\}\/reverse path\.id$/, 'accounts-filled'],
  [/^\w+ \/alerts\b.* query\.account$/, 'accounts-filled'],
]

/**
 * @typedef {Readonly<Record<string, readonly (string | number)[]>>} KnownValues by dictionary, such as `keys`
 * @typedef {Record<string, any>} Json
 * @typedef {{ paths: Record<string, Record<string, Json>>, components: { schemas: Record<string, Json> } }} Document
 */

/**
 * @param {Document} document
 * @param {KnownValues} known
 * @param {import('./identities.mjs').Identity} identity
 * @returns {string} TOML
 */
export function configText(document, known, identity) {
  const lines = [`hooks = ${JSON.stringify(hooksPath)}`, '', ...authLines(identity, tokensName)]
  for (const [name, values] of Object.entries(known)) {
    if (values.length > 0)
      lines.push(`[dictionaries.${JSON.stringify(name)}]`, `values = ${JSON.stringify(values)}`, '')
  }
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`
      const parameters = bindings(document, known, name, operation)
      lines.push(
        '[[operations]]',
        `include-name = ${JSON.stringify(name)}`,
        ...(identity.mayCall(operation) ? [] : ['enabled = false']),
        `checks.positive_data_acceptance.expected-statuses = ${statuses(positive, operation)}`,
        `checks.negative_data_rejection.expected-statuses = ${statuses(negative, operation)}`,
        ...(parameters.length > 0 ? [`parameters = { ${parameters.join(', ')} }`] : []),
        '',
      )
    }
  }
  return lines.join('\n')
}

/** @param {{ always: string[], declared: string[] }} allowed @param {Json} operation */
function statuses({ always, declared }, { responses = {} }) {
  return JSON.stringify([...always, ...declared.filter((status) => status in responses)])
}

/**
 * Dictionaries for the places of an operation.
 * @param {Document} document
 * @param {KnownValues} known
 * @param {string} name
 * @param {Json} operation
 * @returns {string[]}
 */
function bindings(document, known, name, { parameters = [], requestBody }) {
  const schema = requestBody?.content?.['application/json']?.schema
  const all = [
    ...parameters.map((/** @type {Json} */ each) => `${each['in']}.${each['name']}`),
    ...places(document, schema, 'body', depthMax),
  ]
  return all.flatMap((place) => {
    const own = ownDictionaries.find(([pattern]) => pattern.test(`${name} ${place}`))?.[1]
    const dictionary = own ?? (place === 'path.id' ? idsOf(name, known) : dictionaryAt(place))
    if ((known[dictionary]?.length ?? 0) === 0) return []
    return [
      `${JSON.stringify(place)} = { dictionary = ${JSON.stringify(dictionary)}, probability = ${knownShare} }`,
    ]
  })
}

/** @param {string} place */
function dictionaryAt(place) {
  const words = `.${place.replaceAll('[*]', '')}`
  return dictionaries.find(([end]) => words.endsWith(`.${end}`))?.[1] ?? ''
}

/** @param {string} name @param {KnownValues} known */
function idsOf(name, known) {
  const collection = name.split('/')[1] ?? ''
  const doomed = `${collection}-doomed`
  const isDelete = name.startsWith('DELETE ') && name.endsWith('/{id}')
  return isDelete && doomed in known ? doomed : collection
}

/**
 * All places in a body, such as `body.routes[*].group`.
 * @param {Document} document
 * @param {Json | undefined} schema
 * @param {string} place
 * @param {number} depth
 * @returns {string[]}
 */
function places(document, schema, place, depth) {
  const { properties = {} } = follow(document, schema)
  return Object.entries(/** @type {Record<string, Json>} */ (properties)).flatMap(
    ([name, part]) => {
      const { items } = follow(document, part)
      // A dictionary would repeat a value in a list that must not.
      if (items && (part['uniqueItems'] ?? follow(document, part)['uniqueItems'])) return []
      const at = items ? `${place}.${name}[*]` : `${place}.${name}`
      return depth === 0 ? [at] : [at, ...places(document, items ?? part, at, depth - 1)]
    },
  )
}

/** @param {Document} document @param {Json | undefined} schema @returns {Json} */
function follow(document, schema = {}) {
  const name = /** @type {string | undefined} */ (schema['$ref'])?.split('/').at(-1)
  return name === undefined ? schema : (document.components.schemas[name] ?? {})
}
