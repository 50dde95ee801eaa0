import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, done, roleChunk, stopChunk } from '../../support/gateway/chat-events.ts'
import { patience } from '../../support/patience.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runHere,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'
import { isReady, startWorkers } from '../replicas/start-workers.ts'

cleanUpAfterwards()

const timeoutMs = patience(90_000)
let upstream: FakeUpstream
/** The upstream accepts only this key. */
let accepted = ''
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())
afterEach(() => upstream.reset())

const keyOf = (turn: string) => `sk-turn-${turn}-0123456789abcdef`

function accept(key: string): void {
  accepted = key
  upstream.script((request) => request.headers['authorization'] !== `Bearer ${accepted}`, {
    kind: 'status',
    status: 401,
  })
}

/** A secret as Kubernetes mounts it: a link to a link to a folder that is replaced as a whole. */
function mount({ path }: Workspace, turn: string): void {
  mkdirSync(path(`vault/..${turn}`), { recursive: true })
  writeFileSync(path(`vault/..${turn}/key`), `${keyOf(turn)}\n`)
  symlinkSync(`..${turn}`, path('vault/..next'))
  renameSync(path('vault/..next'), path('vault/..data'))
  if (turn === 'one') symlinkSync('..data/key', path('vault/key'))
}

function workspaceWith(credential: string, extra: object = {}): Workspace {
  const config = shopConfig(upstream.url, { replica: 'one', ...extra })
  return makeWorkspace(
    JSON.parse(JSON.stringify(config).replace('sk-upstream-0123456789abcdef', credential)),
  )
}

const status = async ({ url }: Pick<TollgateProcess, 'url'>): Promise<number> => {
  const answer = await askShop(url)
  await answer.text()
  return answer.status
}

async function reads({ url }: TollgateProcess, result: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(
    new RegExp(`^tollgate_secret_reads_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1],
  )
}

async function stop(gateway: TollgateProcess, turns: readonly string[]): Promise<void> {
  gateway.signal('SIGINT')
  expect(await gateway.exited).toBe(0)
  for (const turn of turns) expect(gateway.stderr() + gateway.stdout()).not.toContain(keyOf(turn))
}

test(
  'a mounted secret is followed; a running request keeps its value; a missing file changes nothing',
  async () => {
    const workspace = workspaceWith('file:vault/key')
    mount(workspace, 'one')
    accept(keyOf('one'))
    const gateway = await startTollgate(workspace)
    expect(await status(gateway)).toBe(200)

    // A stream that began with the former key ends with it.
    const gate = Promise.withResolvers<void>()
    const events = [roleChunk(), chunk('Hello'), stopChunk(), done]
    upstream.script('next', {
      kind: 'events',
      events,
      end: 'clean',
      gates: [undefined, gate.promise],
    })
    const stream = askShop(gateway.url, { body: chatBody({ stream: true }) })
    await eventually('the stream has begun', () => upstream.requests.length === 2)
    mount(workspace, 'two')
    accept(keyOf('two'))
    await eventually('the new key is in force', async () => (await status(gateway)) === 200)
    gate.resolve()
    // A silent stream gets comments meanwhile.
    const text = (await (await stream).text()).replaceAll(': keep-alive\n\n', '')
    expect(text).toBe(events.join(''))
    expect(upstream.requests[1]?.headers['authorization']).toBe(`Bearer ${keyOf('one')}`)
    expect(await reads(gateway, 'changed')).toBe(1)
    expect(gateway.stderr()).toContain('"event":"secret_changed","secret":"file:vault/key"')

    // The former value stays in force while the file is missing or incomplete.
    rmSync(workspace.path('vault/..data'))
    await eventually('the failure is noted', () => gateway.stderr().includes('"secret_not_read"'))
    expect(await status(gateway)).toBe(200)
    writeFileSync(workspace.path('spare'), `${keyOf('spare')}\n`)
    workspace.configure(
      JSON.parse(
        JSON.stringify(shopConfig(upstream.url)).replace(
          'sk-upstream-0123456789abcdef',
          'file:spare',
        ),
      ),
    )
    const failing =
      /^fail +secrets +one uses the former value of file:vault\/key since \S+: it cannot be read: ENOENT/m
    const rows = await eventually('doctor knows of the failure', async () => {
      const { stdout } = await runHere(workspace, ['doctor'])
      return failing.test(stdout) ? stdout : undefined
    })
    const made = await runHere(workspace, 'tokens create --name doctor --scope read'.split(' '))
    const token = /^value +(\S+)$/m.exec(made.stdout)?.[1] ?? ''
    const there = { ...workspace, env: { ...workspace.env, TOLLGATE_TOKEN: token } }
    expect((await runHere(there, ['doctor', '--url', gateway.url])).stdout).toMatch(failing)
    expect(rows).toMatch(/^ok +secrets +file:spare is readable, changed \d+ s ago$/m)
    mount(workspace, 'three')
    accept(keyOf('three'))
    await eventually('the third key is in force', async () => (await status(gateway)) === 200)
    // Each failure is logged once, however often the file was read.
    expect(gateway.stderr().split('"secret_not_read"')).toHaveLength(2)
    expect(gateway.stderr()).toContain('"secret_readable"')
    await eventually('doctor knows that it is over', async () => {
      return !failing.test((await runHere(workspace, ['doctor'])).stdout)
    })

    // A value that no header can carry is refused, and does not appear in the log.
    writeFileSync(workspace.path('vault/..three/key'), 'broken\nvalue-of-the-file')
    await eventually(
      'it is refused',
      async () => gateway.stderr().split('"secret_not_read"').length === 3,
    )
    expect(await status(gateway)).toBe(200)
    expect(gateway.stderr()).not.toContain('value-of-the-file')
    expect((await runHere(workspace, ['audit'])).code).toBe(0)
    await stop(gateway, ['one', 'two', 'three'])
  },
  timeoutMs,
)

test(
  'a program is run again at its interval and after SIGHUP; when it fails, hangs or prints too much nothing changes',
  async () => {
    const workspace = workspaceWith('exec:./token hidden-argument', { secretRefreshSeconds: 1 })
    const program = (lines: string) => {
      writeFileSync(workspace.path('next'), `#!/bin/sh\n${lines}\n`)
      chmodSync(workspace.path('next'), 0o700)
      renameSync(workspace.path('next'), workspace.path('token'))
    }
    program(`echo ${keyOf('one')}`)
    accept(keyOf('one'))
    const gateway = await startTollgate(workspace)
    expect(await status(gateway)).toBe(200)
    const failures = [
      [`echo ${keyOf('bad')}; exit 3`, 'it ended with code 3'],
      ['head -c 10000000 /dev/zero | tr "\\\\0" x', 'it prints more than 65536 bytes'],
      ['sleep 600 & sleep 600', 'it did not end within 10 s'],
      ['exit 0', 'gives nothing'],
    ] as const
    for (const [lines, why] of failures) {
      program(lines)
      await eventually(why, () => gateway.stderr().includes(why))
      expect(await status(gateway)).toBe(200)
      // After a failure the next run is half a minute later, unless an operator requests one.
      gateway.signal('SIGHUP')
    }
    program(`echo ${keyOf('two')}`)
    accept(keyOf('two'))
    gateway.signal('SIGHUP')
    await eventually('the new key is in force', async () => (await status(gateway)) === 200)
    expect(gateway.stderr()).not.toContain('hidden-argument')
    await stop(gateway, ['one', 'two', 'bad'])
  },
  timeoutMs,
)

test(
  'a program without an interval is run again when the upstream rejects what it printed',
  async () => {
    const workspace = workspaceWith('exec:./token', { secretRefreshSeconds: 0 })
    writeFileSync(workspace.path('token'), `#!/bin/sh\ncat key\n`, { mode: 0o700 })
    writeFileSync(workspace.path('key'), keyOf('one'))
    accept(keyOf('one'))
    const gateway = await startTollgate(workspace)
    expect(await status(gateway)).toBe(200)
    writeFileSync(workspace.path('key'), keyOf('two'))
    accept(keyOf('two'))
    expect(await status(gateway)).not.toBe(200)
    await eventually('the new key is in force', async () => (await status(gateway)) === 200)
    expect(await reads(gateway, 'changed')).toBe(1)
    await stop(gateway, ['one', 'two'])
  },
  timeoutMs,
)

test(
  'all workers follow, also a setting',
  async () => {
    const workspace = workspaceWith('file:vault/key', { metricsToken: 'file:token' })
    mount(workspace, 'one')
    writeFileSync(workspace.path('token'), keyOf('token-one'))
    accept(keyOf('one'))
    const workers = await startWorkers(workspace)
    await eventually('both are ready', () => isReady(workers))
    const answers = () => Promise.all(Array.from({ length: 8 }, () => status(workers.gateway)))
    const scrape = async (turn: string) => {
      const headers = { authorization: `Bearer ${keyOf(turn)}` }
      const tries = Array.from({ length: 8 }, () =>
        fetch(`${workers.gateway.url}/metrics`, { headers }),
      )
      return new Set((await Promise.all(tries)).map((reply) => reply.status))
    }
    expect(new Set(await answers())).toEqual(new Set([200]))
    expect(await scrape('token-one')).toEqual(new Set([200]))
    mount(workspace, 'two')
    writeFileSync(workspace.path('token'), keyOf('token-two'))
    accept(keyOf('two'))
    await eventually(
      'each worker has the new key',
      async () => new Set(await answers()).size === 1 && (await status(workers.gateway)) === 200,
    )
    await eventually('each worker has the new token', async () => {
      const codes = await scrape('token-two')
      return codes.size === 1 && codes.has(200)
    })
    expect(await scrape('token-one')).toEqual(new Set([401]))
    await stop(workers.gateway, ['one', 'two', 'token-one', 'token-two'])
  },
  timeoutMs,
)
