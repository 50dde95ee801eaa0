import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { compareClocks } from '../../../src/cli/doctor/check-clock.ts'
import { checkOpenFiles } from '../../../src/cli/doctor/check-open-files.ts'
import { terminals } from './run-line.ts'

const openTerminal = terminals()

interface Upstream {
  readonly url: string
  readonly seen: (string | undefined)[]
  stop(): Promise<void>
}

async function startUpstream(status: number, date?: string): Promise<Upstream> {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(status, date === undefined ? {} : { date })
    response.end('{}')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const upstreamFile = (url: string) => `provision:
  upstreams: [{ id: one, vendor: openai-compatible, baseUrl: '${url}', credential: env:ONE, models: [] }]
`

test('a healthy gateway: only ok, and nothing is created', async () => {
  const { cwd, run } = openTerminal()
  const before = await run('doctor')
  expect(before.code).toBe(0)
  expect(before.out).toContain('does not exist yet; the first start creates it')
  expect(existsSync(join(cwd, 'data'))).toBe(false)
  await run('accounts list')
  const { code, out } = await run('doctor')
  expect(code).toBe(0)
  expect(out).toMatch(/^ok +database +\S+ opens, its schema is up to date$/m)
  expect(out).toMatch(/^ok +secret +matches the database$/m)
  expect(out).toMatch(/^ok +config file +none/m)
})

test('a missing secret is reported, and not replaced', async () => {
  const { cwd, run } = openTerminal()
  await run('accounts list')
  rmSync(join(cwd, 'data', 'secret'))
  const { code, out } = await run('doctor')
  expect(code).toBe(1)
  expect(out).toMatch(
    /^fail +secret +\S+ contains no secret file, but the database was created with one/m,
  )
  expect(existsSync(join(cwd, 'data', 'secret'))).toBe(false)
})

describe('upstreams', () => {
  const rows: [string, number, string | undefined, number, RegExp][] = [
    [
      'answers',
      404,
      undefined,
      0,
      /^ok +upstream one +\S+\/v1\/models answers \(HTTP 404, \d+ ms\)$/m,
    ],
    [
      'rejects the credential',
      401,
      undefined,
      1,
      /^fail +upstream one +\S+ rejects the credential \(HTTP 401\)/m,
    ],
    ['answers 503', 503, undefined, 0, /^warn +upstream one +\S+ responds with HTTP 503/m],
    [
      'has a different clock',
      200,
      'Mon, 01 Jan 2024 00:00:00 GMT',
      1,
      /^fail +clock +this machine is \d+ s ahead of the upstream one/m,
    ],
  ]
  for (const [name, status, date, exitCode, line] of rows) {
    test(`one that ${name}`, async () => {
      const upstream = await startUpstream(status, date)
      const { cwd, run } = openTerminal()
      writeFileSync(join(cwd, 'tollgate.yaml'), upstreamFile(upstream.url))
      const { code, out } = await run('doctor', { env: { ONE: 'hidden-credential' } })
      await upstream.stop()
      expect(out).toMatch(line)
      expect(code).toBe(exitCode)
      expect(out).not.toContain('hidden')
      expect(upstream.seen).toEqual(['Bearer hidden-credential'])
    })
  }

  test('each credential is tested, and the rejected one is named', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.headers.authorization === 'Bearer hidden-dead' ? 401 : 200)
      response.end('{}')
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const { cwd, run } = openTerminal()
    const list =
      'credentials: [{ name: living, value: hidden-fine }, { name: dying, value: hidden-dead }]'
    const file = upstreamFile(`http://127.0.0.1:${port}/v1`).replace('credential: env:ONE', list)
    writeFileSync(join(cwd, 'tollgate.yaml'), file)
    const { code, out } = await run('doctor')
    server.close()
    server.closeAllConnections()
    expect(code).toBe(1)
    expect(out).toMatch(
      /^ok +upstream one +\S+ answers \(HTTP 200, \d+ ms, credential "living"\)$/m,
    )
    expect(out).toMatch(/^fail +upstream one +\S+ rejects the credential "dying" \(HTTP 401\)/m)
    expect(out).not.toContain('hidden')
  })

  test('one that has moved to another host gets no request', async () => {
    const [before, after] = [await startUpstream(200), await startUpstream(200)]
    const { cwd, run } = openTerminal()
    const path = join(cwd, 'tollgate.yaml')
    writeFileSync(path, upstreamFile(before.url))
    await run('apply', { env: { ONE: 'hidden-credential' } })
    writeFileSync(path, upstreamFile(after.url).replace('credential: env:ONE, ', ''))
    for (const isApplied of [false, true]) {
      if (isApplied) await run('apply')
      const { code, out } = await run('doctor')
      expect(code).toBe(1)
      expect(out).toMatch(/^fail +upstream one +has no usable credential: .*enter them again$/m)
    }
    expect((await run('upstreams list')).out).toMatch(/^one .* none +0 +needs credential$/m)
    await Promise.all([before.stop(), after.stop()])
    expect([...before.seen, ...after.seen]).toEqual([])
  })

  test('one behind an unreachable proxy, without the proxy’s password', async () => {
    const proxy = await startUpstream(200)
    await proxy.stop()
    const { cwd, run } = openTerminal()
    const address = proxy.url.replace('/v1', '').replace('http://', 'http://hidden:hidden@')
    const file = upstreamFile('https://upstream.example/v1')
    writeFileSync(
      join(cwd, 'tollgate.yaml'),
      file.replace('models:', `proxy: '${address}', models:`),
    )
    const { code, out } = await run('doctor', { env: { ONE: 'hidden' } })
    expect(code).toBe(1)
    expect(out).toMatch(
      /cannot be reached through the proxy http:\/\/••••••@127\.0\.0\.1:\d+ .*check the proxy/,
    )
    expect(out).not.toContain('hidden')
  })

  test('a disabled one gets no request', async () => {
    const upstream = await startUpstream(200)
    const { cwd, run } = openTerminal()
    const file = upstreamFile(upstream.url).replace('models:', 'enabled: false, models:')
    writeFileSync(join(cwd, 'tollgate.yaml'), file)
    const { code, out } = await run('doctor', { env: { ONE: 'hidden' } })
    await upstream.stop()
    expect(code).toBe(0)
    expect(out).toMatch(/^warn +upstream one +is disabled/m)
    expect(upstream.seen).toEqual([])
  })

  test('models that no key can call', async () => {
    const upstream = await startUpstream(200)
    const { cwd, run } = openTerminal()
    const price = 'price: { input: 1, output: 1 }'
    writeFileSync(
      join(cwd, 'tollgate.yaml'),
      `${upstreamFile(upstream.url).replace('models: []', 'models: [free, dear]')}  models: [{ id: dear, ${price} }, { id: idle, ${price} }]
  groups: [{ id: default, fallbacks: { dear: [idle] } }]
`,
    )
    await run('apply', { env: { ONE: 'x' } })
    const { code, out } = await run('doctor', { env: { ONE: 'x' } })
    await upstream.stop()
    expect(code).toBe(0)
    expect(out).toMatch(/^warn +models +free is served without a price/m)
    expect(out).toMatch(/^warn +models +idle is known but served by no upstream/m)
    expect(out).toMatch(
      /^warn +models +idle is named as a fallback in a group that does not serve it/m,
    )
  })

  test('an unreachable one', async () => {
    const upstream = await startUpstream(200)
    await upstream.stop()
    const { cwd, run } = openTerminal()
    writeFileSync(join(cwd, 'tollgate.yaml'), upstreamFile(upstream.url))
    const { code, out } = await run('doctor', { env: { ONE: 'x' } })
    expect(out).toMatch(/^fail +upstream one +\S+ cannot be reached \(.+\); check the base URL/m)
    expect(code).toBe(1)
  })
})

test('a file with secrets that others may read', async () => {
  const { cwd, run } = openTerminal()
  const path = join(cwd, 'tollgate.yaml')
  writeFileSync(path, 'secret: a secret that is written out, long enough\n')
  chmodSync(path, 0o644)
  expect((await run('doctor')).out).toMatch(/^warn +config file +tollgate.yaml contains secrets/m)
  chmodSync(path, 0o600)
  expect((await run('doctor')).out).toMatch(/^ok +config file +tollgate.yaml is valid$/m)
})

test('the limit of open files', () => {
  const limits = (soft: string) =>
    `Limit  Soft Limit  Hard Limit\nMax open files   ${soft}  1048576  files\n`
  expect(checkOpenFiles(limits('1024')).verdict).toBe('warn')
  expect(checkOpenFiles(limits('4096')).verdict).toBe('ok')
  expect(checkOpenFiles(limits('unlimited')).verdict).toBe('ok')
  expect(checkOpenFiles('').verdict).toBe('ok')
})

test('clocks', () => {
  expect(compareClocks(1_000_000, 1_005_000, 'it').verdict).toBe('ok')
  expect(compareClocks(1_000_000, 1_060_000, 'it')).toEqual({
    verdict: 'warn',
    topic: 'clock',
    text: 'this machine is 60 s behind it; run a time service such as chrony',
  })
  expect(compareClocks(1_000_000, 1_000, 'it').verdict).toBe('fail')
})

test('the age of the last backup, and secrets of files and programs', async () => {
  const { cwd, run } = openTerminal()
  writeFileSync(join(cwd, 'key'), 'sk-first-0123456789abcdef')
  writeFileSync(join(cwd, 'print'), '#!/bin/sh\necho sk-printed-0123456789\n')
  chmodSync(join(cwd, 'print'), 0o700)
  const upstream = (id: string, credential: string) =>
    `{ id: ${id}, vendor: openai-compatible, baseUrl: 'http://127.0.0.1:9/v1', credential: '${credential}', models: [] }`
  writeFileSync(
    join(cwd, 'tollgate.yaml'),
    `provision: { upstreams: [${upstream('one', 'file:key')}, ${upstream('two', 'exec:./print private')}] }`,
  )
  expect((await run('apply')).code).toBe(0)
  const fresh = (await run('doctor')).out
  // Nothing was charged yet, so no backup is needed.
  expect(fresh).not.toMatch(/ backup /)
  expect(fresh).toMatch(/^ok +secrets +file:key is readable, changed \d+ s ago$/m)
  expect(fresh).toMatch(/^ok +secrets +exec:\.\/print prints a secret$/m)
  expect(fresh).not.toContain('private')

  expect((await run('backup one.tollgate')).code).toBe(0)
  expect((await run('doctor')).out).toMatch(
    /^ok +backup +the last "tollgate backup" is \d+ s old$/m,
  )
  const later = { nowMs: () => Date.now() + 8 * 24 * 60 * 60_000 }
  expect((await run('doctor', later)).out).toMatch(
    /^warn +backup +the last "tollgate backup" is 8 days old; make a new one$/m,
  )

  writeFileSync(join(cwd, 'key'), 'sk-second-0123456789abcdef')
  const { out } = await run('doctor')
  expect(out).toMatch(
    /^warn +secrets +the credential "first" of the upstream "one" differs from file:key/m,
  )
  expect(out).not.toMatch(/sk-(first|second|printed)/)
})
