/*
 * The API description declares the statuses with which each operation may refuse a request, and Schemathesis gets its
 * expectations from there: an operation that does not declare 422 must not answer with it.
 */

/** The statuses that Schemathesis expects of every API, for valid requests and for others. */
const usual = {
  positive: ['2xx', '401', '403', '404', '409'],
  negative: ['400', '401', '403', '404', '405', '409', '415'],
}
/**
 * Allowed only where declared: a failed precondition, a body that is too large, and a rule that no schema can express.
 */
const declared = ['412', '413', '422']

/** The share of ids that exist. */
const knownShare = 0.7

/** @typedef {Readonly<Record<string, readonly string[]>>} KnownIds by collection, such as `keys` */

/**
 * @param {{ paths: Record<string, Record<string, { responses?: Record<string, unknown> }>> }} document
 * @param {KnownIds} known
 * @returns {string} TOML
 */
export function configText(document, known) {
  const lines = []
  for (const [name, values] of Object.entries(known)) {
    if (values.length > 0)
      lines.push(`[dictionaries.${JSON.stringify(name)}]`, `values = ${JSON.stringify(values)}`, '')
  }
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { responses = {} }] of Object.entries(operations)) {
      const extra = declared.filter((status) => status in responses)
      const parameters = parametersOf(method, path, known)
      lines.push(
        '[[operations]]',
        `include-name = ${JSON.stringify(`${method.toUpperCase()} ${path}`)}`,
        `checks.positive_data_acceptance.expected-statuses = ${JSON.stringify([...usual.positive, ...extra])}`,
        `checks.negative_data_rejection.expected-statuses = ${JSON.stringify([...usual.negative, ...extra])}`,
        ...(parameters.length > 0 ? [`parameters = { ${parameters.join(', ')} }`] : []),
        '',
      )
    }
  }
  return lines.join('\n')
}

/**
 * Existing ids. Delete operations use separate ids, so that the others remain.
 * @param {string} method
 * @param {string} path
 * @param {KnownIds} known
 */
function parametersOf(method, path, known) {
  const collection = path.split('/')[1] ?? ''
  const isDeleted = method === 'delete' && path.endsWith('/{id}')
  /** @param {string} place @param {string} name */
  const from = (place, name) => {
    const own = isDeleted && `${name}-doomed` in known ? `${name}-doomed` : name
    if ((known[own]?.length ?? 0) === 0) return []
    return [
      `${JSON.stringify(place)} = { dictionary = ${JSON.stringify(own)}, probability = ${knownShare} }`,
    ]
  }
  return [
    ...(path.includes('{id}')
      ? from('path.id', path.endsWith('/vouch') ? 'users-invited' : collection)
      : []),
    ...(path.endsWith('/members') && method !== 'post'
      ? from('query.user', method === 'delete' ? 'members-doomed' : 'members')
      : []),
  ]
}
