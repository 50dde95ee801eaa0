import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import type { CliContext } from '../../../src/cli/command.ts'
import { missingPart } from '../../support/missing-part.ts'
import { hasOpenssl, makePrivateCa } from '../../support/outgoing/make-private-ca.ts'
import { cleanUpAfterwards, gatewayCommand } from '../../support/process/tollgate-process.ts'
import { openRemoteFixture, type RemoteFixture } from './remote-fixture.ts'

cleanUpAfterwards()

let fixture: RemoteFixture
let gateway: RemoteFixture['gateway']
let run: RemoteFixture['run']
let listen: RemoteFixture['listen']
beforeAll(async () => {
  fixture = await openRemoteFixture()
  ;({ gateway, run, listen } = fixture)
})
afterAll(() => fixture.close())

describe('the flags and variables that select a gateway', () => {
  const wrong: [line: string, token: string, says: string][] = [
    ['keys list --url nowhere', 'all', '--url must be a URL such as https://'],
    ['keys list --url ftp://example.com', 'all', '--url must be a URL such as https://'],
    [
      'keys list --url https://user:hush@example.com',
      'all',
      '--url must not contain a user or password; use TOLLGATE_TOKEN instead.',
    ],
    ['keys list --url https://example.com/?a=b', 'all', '--url must end with the host or a path'],
    [
      'keys list --url http://models.example.com',
      'all',
      'http:// would send the token to models.example.com where others may read it; use https://, or pass --insecure',
    ],
    ['keys list --url https://example.com', '', 'set TOLLGATE_TOKEN, or name a file'],
    [
      'keys list --url https://example.com',
      'two words',
      'TOLLGATE_TOKEN must contain one admin API token',
    ],
    [
      'keys list --url https://example.com --token-file none.txt',
      'all',
      'The file of --token-file cannot be read (ENOENT): none.txt',
    ],
    ['keys list --token-file t', 'all', '--token-file needs --url.'],
    ['keys list --insecure', 'all', '--insecure needs --url.'],
    [
      'keys list --url https://example.com --token tgat_x',
      'all',
      'A token on the command line is visible in process lists; set TOLLGATE_TOKEN, or use --token-file.',
    ],
    [
      'keys list --url https://example.com --database sqlite://x.db',
      'all',
      '--database applies to a gateway on this machine',
    ],
  ]
  test.each(wrong)('%s: prints one sentence and sends nothing', async (line, token, says) => {
    const never = { send: () => Promise.reject(new Error('sent')) }
    const said = await run(line, token, never)
    expect([said.code, said.out]).toEqual([2, ''])
    expect(said.err).toStartWith('tollgate: ')
    expect(said.err).toContain(says)
    expect(said.err).not.toContain('hush')
    expect(said.err).not.toContain('tgat_x')
  })

  test('the URL and the token come from the environment, a file or standard input', async () => {
    const token = fixture.tokens.get('all') ?? ''
    writeFileSync(fixture.away.path('token'), `${token}\n`)
    const ways: [string, Partial<CliContext>][] = [
      ['keys list', { env: { TOLLGATE_URL: gateway.url, TOLLGATE_TOKEN: token } }],
      [`keys list --url ${gateway.url}/ --token-file token`, { env: {} }],
      [`keys list --url ${gateway.url}/admin/v1 --token-file token`, { env: {} }],
      [
        `keys list --url ${gateway.url}/console/ --token-file -`,
        { env: {}, readInput: async () => `${token}\n` },
      ],
    ]
    for (const [line, world] of ways) {
      const said = await run(line, 'all', world)
      expect([line, said.code, said.err]).toEqual([line, 0, ''])
      expect(said.out).toContain('laptop')
    }
  })

  test('a real process reads the token from standard input', async () => {
    const args = ['keys', 'list', '--url', gateway.url, '--token-file', '-']
    const child = Bun.spawn(gatewayCommand(args), {
      cwd: fixture.away.folder,
      env: { ...fixture.away.env },
      stdin: new Blob([`${fixture.tokens.get('all')}\n`]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    expect([await child.exited, err]).toEqual([0, ''])
    expect(out).toContain('laptop')
  })

  test('a broken local config file does not affect a remote command', async () => {
    writeFileSync(fixture.away.path('tollgate.yaml'), 'lisen: 1\n')
    expect((await run('keys list')).code).toBe(1)
    expect((await run(`keys list --url ${gateway.url}`)).code).toBe(0)
    writeFileSync(fixture.away.path('tollgate.yaml'), '{}\n')
  })
})

if (!hasOpenssl) {
  missingPart('commands over TLS', 'openssl is needed; install it')
} else {
  describe('TLS', () => {
    test('the certificate must be trusted by the default roots or by --ca-file', async () => {
      const { root, certificate } = makePrivateCa('localhost')
      const server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        tls: certificate,
        fetch: (request) => {
          const { pathname, search } = new URL(request.url)
          return fetch(gateway.url + pathname + search, { headers: request.headers })
        },
      })
      writeFileSync(fixture.away.path('ca.pem'), root)
      const url = `https://localhost:${server.port}`
      const stranger = await run(`keys list --url ${url}`)
      expect([stranger.code, stranger.out]).toEqual([1, ''])
      expect(stranger.err).toStartWith(`tollgate: The certificate of ${url} is not trusted (`)
      expect(stranger.err).toContain('pass its CA certificate with --ca-file')
      const known = await run(`keys list --url ${url} --ca-file ca.pem`)
      expect([known.code, known.err]).toEqual([0, ''])
      expect(known.out).toContain('laptop')
      await server.stop(true)
    })
  })
}

describe('refusals', () => {
  const rows: [token: string, line: string, says: RegExp][] = [
    [
      'tgat_no',
      'keys list',
      /This token is unknown, .* Create a new token\. \(request [0-9a-f-]{36}\)/,
    ],
    ['gone', 'keys list', /This token is unknown, incomplete, revoked or expired/],
    [
      'read',
      'keys create --account acme --name n',
      /lacks the required scope.*: keys, all\. \(request /,
    ],
    ['read', 'accounts credit acme 1', /lacks the required scope.*: money, all/],
    ['keys', 'accounts list', /lacks the required scope.*: read, accounts, all/],
    ['keys', 'tokens create --name n --scope all', /lacks the required scope.*: all/],
    ['acme', 'accounts list', /This token is for one account/],
    ['acme', 'keys create --account local --name n', /There is no account "local"/],
    [
      'acme',
      'tokens create --name n --scope all --account other',
      /more than the token that creates/,
    ],
  ]
  test.each(rows)('with %s, %s', async (token, line, says) => {
    const before = await countChanges()
    const said = await run(`${line} --url ${gateway.url}`, token)
    expect([said.code, said.out]).toEqual([1, ''])
    expect(said.err).toMatch(/^tollgate: [^\n]+\n$/)
    expect(said.err).toMatch(says)
    expect(await countChanges()).toBe(before)
  })

  test('a token for one account works within this account', async () => {
    const said = await run(`keys create --account acme --name mine --url ${gateway.url}`, 'acme')
    expect(said.code).toBe(0)
    const listed = await run(`keys list --url ${gateway.url}`, 'acme')
    expect(listed.out).toContain('mine')
  })

  test('doctor says what is wrong with the token', async () => {
    for (const [token, says] of [
      ['keys', /^fail {2}gateway {2}This token lacks the required scope/],
      ['gone', /^fail {2}gateway {2}This token is unknown/],
    ] as const) {
      const said = await run(`doctor --url ${gateway.url}`, token)
      expect(said.code).toBe(1)
      expect(said.out).toMatch(says)
    }
  })
})

async function countChanges(): Promise<number> {
  return (await fixture.readLedger()).changes
}

describe('a URL that is not a gateway', () => {
  const pages: [name: string, status: number, headers: Record<string, string>, body: string][] = [
    ['a web page', 200, { 'content-type': 'text/html' }, '<html>Hello</html>'],
    ['a 404 page', 404, { 'content-type': 'text/html' }, '<html>404</html>'],
    [
      'a gateway without the admin API',
      404,
      { 'content-type': 'application/json' },
      '{"error":{}}',
    ],
    ['JSON of another service', 200, { 'content-type': 'application/json' }, '{"hello":1}'],
    ['invalid JSON', 200, { 'content-type': 'application/json' }, '{'],
    ['nothing', 200, {}, ''],
  ]
  test.each(pages)('%s', async (_, status, headers, body) => {
    const url = await listen((__, response) => response.writeHead(status, headers).end(body))
    const said = await run(`keys list --url ${url}`)
    expect([said.code, said.out]).toEqual([1, ''])
    expect(said.err).toStartWith(
      `tollgate: There is no Tollgate admin API at ${url}: the response is `,
    )
    expect(said.err).toMatch(/Check the URL\.\n$/)
  })

  test('a redirect is not followed, so the token is not sent to another host', async () => {
    let visits = 0
    const elsewhere = await listen((_, response) => {
      visits += 1
      response.end()
    })
    const url = await listen((_, response) =>
      response.writeHead(302, { location: `${elsewhere}/login` }).end(),
    )
    const said = await run(`keys list --url ${url}`)
    expect(said.code).toBe(1)
    expect(said.err).toContain(`${url} redirects to ${elsewhere}/login`)
    expect(visits).toBe(0)
  })

  test('a response that quotes the token is not printed', async () => {
    const url = await listen((request, response) => {
      const detail = `What is ${request.headers.authorization}?`
      const problem = { code: 'invalid_token', detail, requestId: 'r' }
      response.writeHead(401, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify(problem))
    })
    const said = await run(`keys list --url ${url}`)
    expect(said.err).toBe('tollgate: What is Bearer •••? (request r)\n')
  })

  test('no server at the URL: the message says that nothing was sent', async () => {
    const said = await run('accounts credit acme 1 --url http://127.0.0.1:1')
    expect(said.code).toBe(1)
    expect(said.err).toMatch(/^tollgate: The gateway at http:\/\/127\.0\.0\.1:1 cannot be reached/)
    expect(said.err).toContain('nothing was sent')
    const report = await run('doctor --url http://127.0.0.1:1')
    expect([report.code, report.err]).toEqual([1, ''])
    expect(report.out).toMatch(/^fail {2}gateway {2}The gateway at \S+ cannot be reached/)
  })

  test('for an operation that an older gateway lacks, the message says so', async () => {
    const url = await listen((_, response) => {
      const problem = {
        code: 'not_found',
        detail: 'This path does not exist.',
        requestId: 'r',
      }
      response.writeHead(404, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify(problem))
    })
    const said = await run(`audit --url ${url}`)
    expect(said.err).toContain('does not support this call: it is older than this command')
  })

  test('unknown fields from a newer gateway are ignored', async () => {
    const url = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ accounts: [], next: null, more: 1 }))
    })
    expect((await run(`accounts list --url ${url}`)).out).toBe('There are no accounts.\n')
  })
})

test('no output contains a token, except newly created ones', () => {
  for (const token of fixture.tokens.values()) expect(fixture.printed()).not.toContain(token)
})
