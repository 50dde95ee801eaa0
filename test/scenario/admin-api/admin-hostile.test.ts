import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'

/*
 * Requests that no honest client sends. Each is refused with a problem document, nothing is created, and nothing is an
 * internal error. The connections are raw: fetch would repair some of the requests.
 */

interface Database {
  readonly url: string
  drop(): unknown
}

function sqliteFile(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-hostile-'))
  const drop = () => rmSync(folder, { recursive: true, force: true })
  return Promise.resolve({ url: `sqlite://${join(folder, 'test.db')}`, drop })
}

describe('hostile requests on SQLite', () => hostileTests(sqliteFile))
if (postgresServerUrl('hostile requests to the admin API on Postgres') !== undefined) {
  describe('hostile requests on Postgres', () => hostileTests(freshDatabase))
}

const json = { 'content-type': 'application/json' }
const named = (name: string) => `{"id":"hostile","name":${name}}`
const deep = (open: string, close: string, depth: number) =>
  `${open.repeat(depth)}1${close.repeat(depth)}`

/** A body of POST /accounts, the status, and where the problem is. */
const bodies: readonly (readonly [string, string | Uint8Array, number, string | null])[] = [
  ['nothing', '', 400, null],
  ['spaces', '   ', 400, null],
  ['an unknown member', '{"id":"hostile","name":"x","a.b/c~d":1}', 400, '#/a.b~1c~0d'],
  ['__proto__', '{"id":"hostile","name":"x","__proto__":{"a":1}}', 422, null],
  ['only __proto__', '{"__proto__":{"id":"hostile","name":"x"}}', 422, null],
  ['constructor', '{"id":"hostile","name":"x","constructor":{}}', 400, '#/constructor'],
  ['a name that is not Unicode', '{"id":"hostile","name":"x","\\ud800":1}', 400, '#/%EF%BF%BD'],
  ['a text that is not Unicode', named('"\\ud800"'), 400, '#/name'],
  ['an escaped NUL', named('"a\\u0000"'), 400, '#/name'],
  ['a NUL', named('"a\0"'), 400, null],
  ['a line break in a text', named('"a\n"'), 400, null],
  ['bytes that are not UTF-8', bytesOf(named('"a\xff\xfe"')), 400, null],
  ['an overlong encoding', bytesOf(named('"a\xc0\xaf"')), 400, null],
  ['a surrogate in UTF-8', bytesOf(named('"a\xed\xa0\x80"')), 400, null],
  ['a byte order mark', `\ufeff${named('"x"')}`, 400, null],
  ['UTF-16', Buffer.from(named('"x"'), 'utf16le'), 400, null],
  ['a number beyond all limits', named('1e400'), 400, '#/name'],
  [
    'an amount with 400 digits',
    `{"id":"hostile","name":"x","creditNano":"${'9'.repeat(400)}"}`,
    400,
    null,
  ],
  [
    'an amount of 2^63',
    '{"id":"hostile","name":"x","creditNano":"9223372036854775808"}',
    400,
    null,
  ],
  ['an amount with other digits', '{"id":"hostile","name":"x","creditNano":"٣"}', 400, null],
  ['NaN', named('NaN'), 400, null],
  ['two documents', `${named('"x"')}{}`, 400, null],
  ['deep lists', deep('[', ']', 100_000), 400, null],
  ['deep lists in a member', named(deep('[', ']', 100_000)), 400, '#/name'],
  ['deep objects', deep('{"a":', '}', 60_000), 413, null],
  ['too many bytes', named(`"${'x'.repeat(600_000)}"`), 413, null],
]

const types = [
  'text/plain',
  'application/json-patch+json',
  'application/json, text/plain',
  'application/jsonp',
  'application/problem+json',
  'multipart/form-data; boundary=x',
  '*/*',
  '',
]

/** Members that an account may have, with names that the client chooses. */
const chosenNames = ['\\ud800', 'constructor', 'a.b', '[0]', '%', '~/']

const targets: readonly (readonly [string, number])[] = [
  ['', 404],
  ['/', 404],
  ['?limit=1', 404],
  ['/nowhere', 404],
  ['/accounts/', 404],
  ['/ACCOUNTS', 404],
  ['/%61ccounts', 404],
  ['/accounts/a%2Fb', 404],
  ['/accounts/acme.', 404],
  ['/accounts/acme;x', 404],
  ['/accounts/acme%3Fx', 404],
  ['/accounts/%C3%A9', 404],
  ['/accounts/%FF', 404],
  [`/accounts/${'a'.repeat(129)}`, 404],
  ['/accounts/__proto__', 404],
  ['/usage/not-an-id', 404],
  ['/accounts?__proto__=1', 400],
  ['/accounts?constructor=1', 400],
  ['/accounts?limit=1&limit=2', 400],
  ['/accounts?limit=0x10', 400],
  ['/accounts?limit=%2B1', 400],
  ['/accounts?limit=99999999999999999999', 400],
  ['/accounts?search=%00', 400],
  [`/accounts?search=${'x'.repeat(9_000)}`, 400],
]

const methods = ['OPTIONS', 'TRACE', 'PROPFIND', 'PATCH', 'DELETE', 'PUT']

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

function bytesIn(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? new Uint8Array(Buffer.from(body, 'utf8')) : body
}

interface Told {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Sends the bytes, and reads until the gateway closes the connection. */
function sendRaw(url: string, head: string, body: string | Uint8Array): Promise<Told> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = []
    const socket = connect(Number(port), hostname, () => {
      socket.write(Buffer.concat([Buffer.from(head, 'latin1'), bytesIn(body)]))
    })
    socket.on('data', (piece) => pieces.push(bytesIn(piece)))
    socket.on('error', reject)
    socket.on('close', () => {
      const [answer = '', ...rest] = Buffer.concat(pieces).toString('utf8').split('\r\n\r\n')
      resolve({ status: Number(answer.split(' ')[1]), head: answer, body: rest.join('\r\n\r\n') })
    })
  })
}

function hostileTests(open: () => Promise<Database>): void {
  let database: Database
  let fixture: ConsoleFixture
  let token: string
  beforeAll(async () => {
    database = await open()
    fixture = await openConsoleFixture({ databaseUrl: database.url })
    token = await fixture.makeToken(['all'])
    await fixture.makeToken(['read'])
    for (const [method, path, body] of [
      ['PUT', '/groups/a', {}],
      ['PUT', '/models/a', { displayName: 'a' }],
    ] as const) {
      expect((await fixture.admin(token, method, path, { body })).ok).toBe(true)
    }
  }, patience(60_000))
  afterAll(async () => {
    await fixture.close()
    await database.drop()
  })

  const ask = (
    method: string,
    target: string,
    {
      body = '',
      headers = {},
    }: { body?: string | Uint8Array; headers?: Record<string, string> } = {},
  ) => {
    const lines = Object.entries({
      host: 'gateway',
      connection: 'close',
      authorization: `Bearer ${token}`,
      'content-length': String(bytesIn(body).length),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `${method} /admin/v1${target} HTTP/1.1\r\n${lines.join('')}\r\n`
    return sendRaw(fixture.url, head, body)
  }

  const problemOf = ({ head, body }: Told) => {
    expect(head.toLowerCase()).toContain('content-type: application/problem+json')
    const problem = JSON.parse(body)
    expect([typeof problem.code, typeof problem.requestId, fixture.errors]).toEqual([
      'string',
      'string',
      [],
    ])
    return problem
  }

  const isCreated = async () => (await ask('GET', '/accounts/hostile')).status === 200

  test.each(bodies)('a body with %s', async (_, body, status, pointer) => {
    const told = await ask('POST', '/accounts', { headers: json, body })
    const problem = problemOf(told)
    expect([told.status, await isCreated()]).toEqual([status, false])
    if (pointer !== null) expect(problem.errors[0].pointer).toBe(pointer)
    // A long name or text is not repeated to the client.
    expect(told.body.length).toBeLessThan(2_000)
  })

  test('an unknown member with a long name is not repeated', async () => {
    const body = `{"${'x'.repeat(100_000)}":1,"id":"hostile","name":"x"}`
    const told = await ask('POST', '/accounts', { headers: json, body })
    expect([told.status, told.body.length < 2_000]).toEqual([400, true])
  })

  test.each(types)('the content type "%s"', async (type) => {
    const headers = { 'content-type': type }
    const told = await ask('POST', '/accounts', { headers, body: named('"x"') })
    expect([told.status, problemOf(told).errors[0].code, await isCreated()]).toEqual([
      400,
      'body_not_json',
      false,
    ])
  })

  test.each(chosenNames)('the name "%s" where the client chooses names', async (name) => {
    const body = `{"fallbacks":{"${name}":5,"x":["y"]}}`
    const told = await ask('PATCH', '/groups/default', { headers: json, body })
    expect([told.status, problemOf(told).code]).toEqual([400, 'invalid_request'])
  })

  test.each(targets)('the target %s', async (target, status) => {
    const told = await ask('GET', target)
    expect([told.status, problemOf(told).status]).toEqual([status, status])
  })

  test('an unknown parameter is named', async () => {
    const { errors } = problemOf(await ask('GET', '/accounts?constructor=1'))
    expect(errors[0]).toMatchObject({ code: 'member_unknown', parameter: 'constructor' })
  })

  test('a member is removed by name', async () => {
    const { errors } = problemOf(await ask('DELETE', '/accounts/acme/members'))
    expect(errors[0].parameter).toBe('user')
  })

  test.each(methods)('the method %s on a path without it', async (method) => {
    const told = await ask(method, '/accounts')
    expect([told.status, /\r\nallow: GET, HEAD, POST(?:\r\n|$)/i.test(told.head)]).toEqual([
      405,
      true,
    ])
    expect(problemOf(told).code).toBe('method_not_allowed')
  })

  test('a body in many small pieces is read, and one that is too long is refused', async () => {
    const chunked = { ...json, 'transfer-encoding': 'chunked', 'content-length': '' }
    const chunks = (text: string, size: number) =>
      `${[...text.matchAll(new RegExp(`[^]{1,${size}}`, 'g'))]
        .map(([piece]) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
        .join('')}0\r\n\r\n`
    const { 'content-length': _, ...headers } = chunked
    const pieces = async (text: string, size: number) => {
      const lines = Object.entries({
        host: 'g',
        connection: 'close',
        authorization: `Bearer ${token}`,
        ...headers,
      })
      const head = `POST /admin/v1/accounts HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
      return sendRaw(fixture.url, head, chunks(text, size))
    }
    expect((await pieces('{"id":"pieces","name":"x"}', 1)).status).toBe(200)
    expect((await pieces(named(`"${'x'.repeat(600_000)}"`), 60_000)).status).toBe(413)
  })

  test('a client that leaves in the middle of its body is no internal error', async () => {
    const head = `POST /admin/v1/accounts HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`
    const { hostname, port } = new URL(fixture.url)
    for (const length of [
      'content-length: 100\r\n\r\n{"id":',
      'transfer-encoding: chunked\r\n\r\n5\r\n{"id',
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(head + length, () => {
            // The gateway has begun to read the body when it answers the next request.
            void ask('GET', '/accounts').then(() => socket.destroy())
          })
        })
        socket.on('close', () => resolve())
      })
      for (let more = 0; more < 3; more += 1) await ask('GET', '/accounts')
    }
    expect([fixture.errors, await isCreated()]).toEqual([[], false])
  })

  const lists = ['accounts', 'groups', 'models', 'keys', 'tokens', 'audit', 'usage']
  test.each(lists)(
    'cursors of /%s in other lists, and with changed characters',
    async (from) => {
      const { next } = JSON.parse((await ask('GET', `/${from}?limit=1`)).body)
      expect(typeof next).toBe('string')
      const changed = [...next].map(
        (character, at) =>
          `${next.slice(0, at)}${character === '0' ? '1' : '0'}${next.slice(at + 1)}`,
      )
      const cursors = [next, ...changed, next.slice(1), next.slice(0, -1), next + next]
      for (const list of lists) {
        const name = list === 'audit' || list === 'usage' ? 'before' : 'after'
        for (const cursor of list === from ? cursors : [next]) {
          const told = await ask('GET', `/${list}?limit=1&${name}=${encodeURIComponent(cursor)}`)
          expect([list, cursor, told.status < 500]).toEqual([list, cursor, true])
          if (told.status !== 200) expect(problemOf(told).errors[0].parameter).toBe(name)
        }
      }
    },
    patience(60_000),
  )

  describe('an idempotency key', () => {
    const credit = (key: string, externalId: string, as = token) =>
      ask('POST', '/accounts/globex/credits', {
        headers: { ...json, 'idempotency-key': key, authorization: `Bearer ${as}` },
        body: JSON.stringify({ amountNano: '5', reason: 'x', externalId }),
      })
    const credits = async () => {
      const { credits: all } = JSON.parse((await ask('GET', '/accounts/globex')).body)
      return (all as { externalId: string }[]).map(({ externalId }) => externalId)
    }

    test('sent 20 times at once moves money once', async () => {
      const all = await Promise.all(Array.from({ length: 20 }, () => credit('at-once', 'at-once')))
      const replayed = all.filter(({ head }) => /idempotency-replayed: true/i.test(head))
      expect([...new Set(all.map(({ status }) => status))]).toEqual([200])
      expect([replayed.length, new Set(all.map(({ body }) => body)).size]).toEqual([19, 1])
      expect((await credits()).filter((each) => each === 'at-once')).toHaveLength(1)
    })

    test('sent 20 times at once with different bodies moves money once', async () => {
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, at) => credit('differing', `differing-${at}`)),
      )
      expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const told of all.filter(({ status }) => status !== 200)) {
        expect([told.status, problemOf(told).code]).toEqual([422, 'idempotency_key_reused'])
      }
      expect((await credits()).filter((each) => each.startsWith('differing'))).toHaveLength(1)
    })

    test('of another token is another key', async () => {
      const other = await fixture.makeToken(['money'])
      expect((await credit('shared', 'mine')).status).toBe(200)
      const told = await credit('shared', 'theirs', other)
      expect([told.status, /idempotency-replayed/i.test(told.head)]).toEqual([200, false])
    })

    test('counts after a restart', async () => {
      const before = await credit('restart', 'restart')
      await fixture.close()
      fixture = await openConsoleFixture({ databaseUrl: database.url, isEmpty: true })
      const after = await credit('restart', 'restart')
      expect([after.body, /idempotency-replayed: true/i.test(after.head)]).toEqual([
        before.body,
        true,
      ])
      expect((await credit('restart', 'other')).status).toBe(422)
      expect((await credits()).filter((each) => each === 'restart')).toHaveLength(1)
    })
  })
}
