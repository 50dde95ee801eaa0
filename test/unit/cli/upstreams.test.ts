import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDemoUpstream } from '../../../src/demo/upstream/demo-upstream.ts'
import { terminals } from './run-line.ts'

const openTerminal = terminals({ hasDatabase: true })

/** A terminal in a folder whose database has two upstreams, and the requests that the first of them got. */
async function openShop() {
  const asked: string[] = []
  const answer = createDemoUpstream({ wordDelayMs: 0 })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      asked.push(new URL(request.url).pathname)
      return answer(request)
    },
  })
  const terminal = openTerminal()
  writeFileSync(
    join(terminal.cwd, 'tollgate.yaml'),
    `provision:
  models: [{ id: m, price: { input: 1, output: 2 } }]
  accounts: [{ id: acme, credit: 5 }]
  upstreams:
    - { id: one, vendor: openai, baseUrl: 'http://127.0.0.1:${server.port}/v1', models: [{ id: m, as: theirs }],
        credentials: [{ name: first, value: hidden-first-0123456789 }, { name: second, value: hidden-second-9876543210 }] }
    - { id: gone, vendor: openai-compatible, baseUrl: 'http://127.0.0.1:1/v1', models: [m], enabled: false }
`,
  )
  expect((await terminal.run('apply')).code).toBe(0)
  return { ...terminal, asked, stop: () => server.stop(true) }
}

test('upstreams list: with the hints of credentials, and their state', async () => {
  const { run, stop } = await openShop()
  const { code, out } = await run('upstreams list')
  expect(code).toBe(0)
  expect(out).toMatch(
    /^one +openai +any +http:\S+ +first hid...6789, second hid...3210 +1 +enabled$/m,
  )
  expect(out).toMatch(/^gone +openai-compatible +chat-completions +\S+ +none +1 +disabled$/m)
  expect(out).not.toContain('hidden')
  const { out: json } = await run('upstreams list --json')
  expect(JSON.parse(json)).toHaveLength(2)
  expect(json).not.toContain('hidden')
  await stop()
})

test('upstreams test: every credential in every protocol, with its result, without a charge', async () => {
  const { run, asked, stop } = await openShop()
  const { code, out } = await run('upstreams test one')
  expect(code).toBe(0)
  for (const hint of ['hid...6789', 'hid...3210']) {
    for (const protocol of ['responses', 'chat-completions']) {
      const facts = /\(HTTP 200, \d+ ms, \d+ tokens in, \d+ out, worth \$\S+\)/
      const head = `^ok   ${protocol} theirs with ${hint} `
      expect(out).toMatch(new RegExp(`${head}${facts.source}$`, 'm'))
    }
  }
  expect(out).not.toContain('hidden')
  expect(asked.sort()).toEqual([
    '/v1/chat/completions',
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/responses',
  ])
  const one = await run('upstreams test one --protocol chat-completions --model other --json')
  expect(JSON.parse(one.out)).toMatchObject([
    { protocol: 'chat-completions', model: 'other', status: 200, credential: 'hid...6789' },
    { protocol: 'chat-completions', model: 'other', status: 200, credential: 'hid...3210' },
  ])
  expect((await run('accounts list')).out).toMatch(/^acme +acme +5\.00 /m)
  await stop()
})

test('upstreams test: a failure is reported, with exit code 1', async () => {
  const { run, stop } = await openShop()
  const gone = await run('upstreams test gone')
  expect(gone.code).toBe(1)
  expect(gone.out).toMatch(/^fail chat-completions m \(\d+ ms\)\n +It cannot be reached/m)
  const typo = await run('upstreams test onne')
  expect(typo.code).toBe(1)
  expect(typo.err).toContain(
    'There is no upstream "onne" that this command can reach; did you mean "one"?',
  )
  const wrong = await run('upstreams test one --protocol chat')
  expect(wrong.code).not.toBe(0)
  expect(wrong.err).toContain('--protocol must be one of chat-completions')
  await stop()
})

test('upstreams test: the error says that the built-in demo needs a running gateway', async () => {
  const { run, cwd, asked, stop } = await openShop()
  const database = new Database(join(cwd, 'data', 'tollgate.db'))
  database.run(`update upstream set base_url = 'demo:' where id = 'one'`)
  database.close()
  expect(await run('upstreams test one')).toEqual({
    code: 1,
    out: '',
    err: 'tollgate: Only a running gateway can test the upstream "one"; name the gateway with --url, or use the console.\n',
  })
  expect(asked).toEqual([])
  await stop()
})
