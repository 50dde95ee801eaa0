import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/*
 * Reads the events that Schemathesis has written: for each operation how many answers it gave, and every error that is
 * not a problem document with a code and a request id.
 */

const problemType = 'application/problem+json'

/** @typedef {{ good: number, refused: number, failed: number }} Counts answers 2xx, 4xx and others */

/**
 * @param {string} file NDJSON
 * @param {{ paths: Record<string, Record<string, unknown>> }} document
 * @param {string} root of the paths, such as `/admin/v1`
 * @returns {Promise<{ counts: Map<string, Counts>, unlike: string[] }>} by operation, and errors in another form
 */
export async function countAnswers(file, document, root) {
  const operations = operationsOf(document, root)
  const counts = new Map(operations.map(({ name }) => [name, { good: 0, refused: 0, failed: 0 }]))
  /** @type {string[]} */
  const unlike = []
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { ScenarioFinished: scenario } = JSON.parse(line)
    for (const { request, response } of Object.values(scenario?.recorder?.interactions ?? {})) {
      if (!response) continue
      const { pathname } = new URL(request.uri)
      const operation = operations.find(
        ({ method, pattern }) => method === request.method && pattern.test(pathname),
      )
      const of = counts.get(operation?.name ?? '')
      const status = response.status_code
      if (of) of[status < 300 ? 'good' : status >= 400 && status < 500 ? 'refused' : 'failed'] += 1
      if (status >= 400 && request.method !== 'HEAD' && !isProblem(response)) {
        unlike.push(`${request.method} ${request.uri}: ${status}`)
      }
    }
  }
  return { counts, unlike }
}

/**
 * Paths without a placeholder come first, as in the gateway.
 * @param {{ paths: Record<string, Record<string, unknown>> }} document
 * @param {string} root
 */
function operationsOf({ paths }, root) {
  return Object.entries(paths)
    .toSorted(([left], [right]) => left.split('{').length - right.split('{').length)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        pattern: new RegExp(`^${root}${path.replaceAll('.', '\\.').replace('{id}', '[^/]+')}$`),
      })),
    )
}

/** @param {{ headers: Record<string, string[]>, content?: { $base64: string } }} response */
function isProblem({ headers, content }) {
  if (headers['content-type']?.[0] !== problemType) return false
  const { code, requestId } = JSON.parse(
    Buffer.from(content?.$base64 ?? '', 'base64').toString('utf8'),
  )
  return typeof code === 'string' && requestId === headers['x-request-id']?.[0]
}
