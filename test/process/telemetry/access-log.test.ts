import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { makeSmallDisk } from '../../support/ledger/small-disk.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

const dropped = 'tollgate_access_log_dropped_total'
const disk = makeSmallDisk()
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(async () => {
  await upstream.stop()
  disk.remove()
})

function start(settings: object, flags: readonly string[] = []): Promise<TollgateProcess> {
  return startTollgate(makeWorkspace(shopConfig(upstream.url, settings)), flags)
}

/** Returns the id of a successful or of a refused request. */
async function ask({ url }: TollgateProcess, status: 200 | 404 = 200): Promise<string> {
  const body = status === 200 ? chatBody() : chatBody({ model: 'no-such-model' })
  const reply = await askShop(url, { body })
  await reply.text()
  expect(reply.status).toBe(status)
  return reply.headers.get('x-request-id') ?? ''
}

async function stop(gateway: TollgateProcess): Promise<void> {
  gateway.signal('SIGTERM')
  expect(await gateway.exited).toBe(0)
}

/** The lines about requests, in a file or in a log. A disk that became full may have left a partial line. */
function requestsIn(text: string): JsonObject[] {
  return text
    .split('\n')
    .map((line) => parseJson(line))
    .filter((line) => isObject(line))
    .filter(({ event }) => event === 'request')
}

const idsIn = (path: string): unknown[] =>
  existsSync(path) ? requestsIn(readFileSync(path, 'utf8')).map(({ requestId }) => requestId) : []

async function countDropped({ url }: TollgateProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${dropped} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

describe('the access log of a running gateway', () => {
  test.each([
    ['has no line', { accessLog: 'off' }, []],
    ['has only the failures', { accessLogSampleRate: 0 }, [404]],
  ])('%s with %j', async (_, settings, statuses) => {
    const gateway = await start(settings)
    await ask(gateway)
    await ask(gateway, 404)
    await stop(gateway)
    expect(requestsIn(gateway.stderr()).map(({ status }) => status)).toEqual(statuses)
  })

  test('two workers share a file that is renamed when it is full: each request has one line', async () => {
    const workspace = makeWorkspace()
    const path = workspace.path('logs/access.log')
    const settings = { accessLog: path, accessLogFileBytesMax: '64KiB', accessLogFilesMax: 1_000 }
    const gateway = await start(settings, ['--workers', '2'])
    const asked: string[] = []
    // The file is renamed before the batch after the one that fills it.
    for (let round = 0; round < 200 && !existsSync(`${path}.1`); round += 1)
      asked.push(...(await Promise.all(Array.from({ length: 20 }, () => ask(gateway)))))
    // Lines in memory are written before the processes end.
    await stop(gateway)
    const names = readdirSync(dirname(path)).toSorted()
    expect(names.slice(0, 2)).toEqual(['access.log', 'access.log.1'])
    const lines = names.flatMap((name) =>
      requestsIn(readFileSync(join(dirname(path), name), 'utf8')),
    )
    expect(lines.map(({ requestId }) => String(requestId)).toSorted()).toEqual(asked.toSorted())
    expect(new Set(lines.map(({ worker }) => worker))).toEqual(new Set([1, 2]))
    expect(requestsIn(gateway.stderr())).toEqual([])
  })

  test('another program may rename or delete the file, and a failing disk loses only lines', async () => {
    const folder = join(disk.folder, 'logs')
    const path = join(folder, 'access.log')
    const gateway = await start({ accessLog: path, logLevel: 'error' })
    const askSeen = async () => {
      const id = await ask(gateway)
      await eventually('the file has the line', () => idsIn(path).includes(id))
      return id
    }
    const first = await askSeen()
    renameSync(path, `${path}-yesterday`)
    const second = await askSeen()
    expect([idsIn(`${path}-yesterday`), idsIn(path)]).toEqual([[first], [second]])
    rmSync(folder, { recursive: true })
    const third = await askSeen()
    expect(idsIn(path)).toEqual([third])
    expect(await countDropped(gateway)).toBe(0)

    // Without a small file system, a folder in place of the file makes writes fail.
    if (disk.isReal) disk.fill()
    else {
      rmSync(path)
      mkdirSync(path)
    }
    const lost: string[] = []
    // The first line may fill a block and end in the middle.
    for (const times of [1, 2]) {
      const before = await countDropped(gateway)
      await eventually(`lines are dropped, ${times}`, async () => {
        lost.push(await ask(gateway), await ask(gateway, 404))
        return (await countDropped(gateway)) > before
      })
    }
    expect(gateway.stderr()).toContain('"event":"access_log_dropped"')
    if (disk.isReal) disk.free()
    else rmSync(path, { recursive: true })
    await askSeen()
    const last = await ask(gateway)
    await stop(gateway)
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    expect(parseJson(lines.at(-1) ?? '')).toMatchObject({ requestId: last })
    expect(lines.filter((line) => !isObject(parseJson(line)))).toEqual([])
    expect(lost.every((id) => idsIn(path).includes(id))).toBe(false)
    expect(gateway.stderr()).not.toContain('internal_error')
  })

  test.each(disk.isReal ? [1, 2] : [])(
    'with %d workers, a disk that is full repeatedly loses only whole lines, and no request',
    async (workers) => {
      const path = join(disk.folder, `full-${workers}`, 'access.log')
      const settings = { accessLog: path, logLevel: 'error' }
      const gateway = await start(settings, ['--workers', String(workers)])
      const asked: string[] = []
      for (let round = 0; round < 4; round += 1) {
        disk.fill()
        const before = await countDropped(gateway)
        await eventually('lines are dropped', async () => {
          asked.push(...(await Promise.all(Array.from({ length: 6 }, () => ask(gateway)))))
          return (await countDropped(gateway)) >= before + 2 * workers
        })
        disk.free()
        const since = asked.length
        await eventually('lines are written', async () => {
          asked.push(...(await Promise.all(Array.from({ length: 6 }, () => ask(gateway)))))
          const ids = new Set(idsIn(path))
          return asked.slice(since).some((id) => ids.has(id))
        })
      }
      const droppedLines = await countDropped(gateway)
      await stop(gateway)
      const lines = readFileSync(path, 'utf8').split('\n')
      expect(lines.pop()).toBe('')
      expect(lines.filter((line) => !isObject(parseJson(line)))).toEqual([])
      const written = lines.map((line) => parseJson(line) as JsonObject)
      const ids = written.map(({ requestId }) => String(requestId))
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.filter((id) => !asked.includes(id))).toEqual([])
      expect(new Set(written.map(({ worker }) => worker)).size).toBe(workers)
      // No line is lost without being counted. A line that was cut off may be counted although the file has it.
      expect(ids.length + droppedLines).toBeGreaterThanOrEqual(asked.length)
    },
  )
})
