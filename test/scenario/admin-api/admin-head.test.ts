import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { adminRoutes } from '../../../src/console-api/admin/admin-routes.ts'
import { exportLimits } from '../../../src/console-api/rows/export-limiter.ts'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'

/* A HEAD is answered like a GET, without the body. The connections are raw: fetch hides how an answer ends. */

let fixture: ConsoleFixture
let tokens: Readonly<Record<'operator' | 'account' | 'poor', string>>
let rowSelects = 0
beforeAll(async () => {
  fixture = await openConsoleFixture({
    onSelect: (from) => {
      if (from.includes('"usage_row"') || from.includes('"audit"')) rowSelects += 1
    },
  })
  tokens = {
    operator: await fixture.makeToken(['all']),
    account: await fixture.makeToken(['all'], 'acme'),
    poor: await fixture.makeToken(['usage']),
  }
})
afterAll(() => fixture.close())

interface Told {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

async function ask(method: string, path: string, token?: string, more = '\r\n'): Promise<Told> {
  const { hostname, port } = new URL(fixture.url)
  const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`
  const text = await new Promise<string>((resolve, reject) => {
    const pieces: Uint8Array[] = []
    const socket = connect(Number(port), hostname, () => {
      const start = `${method} /admin/v1${path} HTTP/1.1\r\nhost: gateway\r\nconnection: close\r\n`
      socket.write(start + authorization + more)
    })
    socket.on('data', (piece) => pieces.push(new Uint8Array(Buffer.from(piece))))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(pieces).toString('utf8')))
  })
  const [start = '', ...rest] = text.split('\r\n\r\n')
  const [line = '', ...headers] = start.toLowerCase().split('\r\n')
  const own = headers.filter((each) => !/^(?:date|(?:.*-)?request-id):/.test(each))
  return {
    status: Number(line.split(' ')[1]),
    headers: own.toSorted(),
    body: rest.join('\r\n\r\n'),
  }
}

const ids: Readonly<Record<string, string>> = {
  '/keys/{id}': 'key_a1',
  '/credentials/{id}': 'cred_1',
  '/models/{id}': 'gpt-x',
  '/groups/{id}': 'default',
  '/users/{id}': 'u_ann',
  '/vendors/{id}/models': 'openai',
}
const queries: Readonly<Record<string, string>> = {
  '/key-options': '?account=acme',
  '/statement': '?account=acme',
  '/routes': '?upstream=one',
}

function pathOf(path: string): string {
  const id = ids[path] ?? (path.startsWith('/accounts/') ? 'acme' : 'one')
  return path.replace('{id}', id) + (queries[path] ?? '')
}

/** Reads that take seconds, or whose answer changes with each call. */
const moving = new Set(['/system', '/upstreams/{id}/models', '/overview'])
/** Resources that the fixture does not have, and one that its operator may not read. */
const refused = new Set([
  '/usage/{id}',
  '/tokens/{id}',
  '/alerts/{id}',
  '/alerts/{id}/conditions',
  '/accounts/{id}/recordings',
])
const reads = adminRoutes.filter(({ route }) => route.method === 'GET').map(({ path }) => path)

/** A file has no length before it is generated. */
function withoutLength(headers: readonly string[]): readonly string[] {
  return headers.filter((each) => !/^(?:content-length|transfer-encoding):/.test(each))
}

describe('HEAD of', () => {
  test.each([...reads, '/openapi.json'].filter((path) => !moving.has(path)))(
    '%s is like GET without the body',
    async (path) => {
      for (const token of [tokens.operator, tokens.account, tokens.poor, 'tgat_wrong', undefined]) {
        const get = await ask('GET', pathOf(path), token)
        const head = await ask('HEAD', pathOf(path), token)
        const isFile = get.headers.some((each) => each.startsWith('content-disposition'))
        const shown = isFile ? withoutLength : (headers: readonly string[]) => headers
        expect([head.status, shown(head.headers), head.body]).toEqual([
          get.status,
          shown(get.headers),
          '',
        ])
        expect(head.headers).not.toContain('content-length: 0')
      }
      expect(fixture.errors).toEqual([])
    },
  )

  test('nearly every read succeeds in this table', async () => {
    for (const path of reads) {
      if (refused.has(path)) continue
      const { status } = await ask('HEAD', pathOf(path), tokens.operator)
      expect([path, status]).toEqual([path, 200])
    }
  })

  test('a resource has the tag of the resource', async () => {
    const { headers } = await ask('HEAD', '/keys/key_a1', tokens.operator)
    const response = await fixture.admin(tokens.operator, 'GET', '/keys/key_a1')
    expect(headers).toContain(`etag: ${response.headers.get('etag')}`.toLowerCase())
  })

  test('an operation that is no read is refused', async () => {
    for (const path of ['/keys/key_a1/rotate', '/check-ledger', '/accounts/acme/credits']) {
      const { status, headers, body } = await ask('HEAD', path, tokens.operator)
      expect([path, status, headers.includes('allow: post'), body]).toEqual([path, 405, true, ''])
    }
  })

  test('a path with a body in the request', async () => {
    const sent = 'content-type: application/json\r\ncontent-length: 2\r\n\r\n{}'
    const { status, body } = await ask('HEAD', '/groups', tokens.operator, sent)
    expect([status, body]).toEqual([200, ''])
  })
})

describe('HEAD of an export', () => {
  const paths = ['/usage/export', '/usage/export?format=ndjson', '/audit/export']
  test.each(paths)('%s reads no rows, and leaves room for others', async (path) => {
    rowSelects = 0
    const heads = Array.from({ length: exportLimits.atOnceMax * 3 }, () =>
      ask('HEAD', path, tokens.operator),
    )
    for (const { status, headers, body } of await Promise.all(heads)) {
      // Some may come while others have not been cancelled yet.
      expect([200, 503]).toContain(status)
      if (status === 200) expect(headers.join()).toContain('content-disposition: attachment')
      expect(body).toBe('')
    }
    expect(rowSelects).toBe(0)
    const one = await ask('HEAD', path, tokens.operator)
    expect(one.status).toBe(200)
    expect((await ask('GET', path, tokens.operator)).status).toBe(200)
    expect([rowSelects > 0, fixture.errors]).toEqual([true, []])
  })

  test('with a wrong format is refused like the GET', async () => {
    expect((await ask('HEAD', '/usage/export?format=xml', tokens.operator)).status).toBe(400)
  })
})
