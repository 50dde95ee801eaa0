import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import type { ErrorAnswer } from '../../../../src/console-api/contract.ts'
import { csvColumns } from '../../../../src/console-api/contract.ts'
import { exportLimits } from '../../../../src/console-api/rows/export-limiter.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { eventually } from '../../../support/eventually.ts'
import { patience } from '../../../support/patience.ts'
import { fillLog, rowsMade } from './long-log.ts'

const path = '/console/api/usage/export'
const timeoutMs = patience(120_000)
let fixture: ConsoleFixture
let selects = 0
const unhandled: unknown[] = []
const onUnhandled = (reason: unknown) => unhandled.push(reason)

beforeAll(async () => {
  fixture = await openConsoleFixture({
    onSelect: (from) => {
      if (from.includes('"usage_row"')) selects += 1
    },
  })
  await fillLog(fixture)
})
afterAll(() => fixture.close())
beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', onUnhandled)
  selects = 0
})
afterEach(() => {
  process.off('unhandledRejection', onUnhandled)
})

/** Each page needs two statements: its ids, and its rows. */
const pagesRead = () => selects / 2

/** A client that reads only on request. */
async function openReader(cookie: string): Promise<Socket> {
  const { port, host } = new URL(fixture.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.pause()
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, `Cookie: ${cookie}`, '', '']
  await new Promise<void>((resolve) => {
    socket.write(lines.join('\r\n'), () => resolve())
  })
  return socket
}

/** Whether the export reads nothing more while the gateway answers other requests. */
async function isAtRest(cookie: string): Promise<boolean> {
  const before = pagesRead()
  for (let count = 0; count < 5; count += 1) {
    await (await fixture.get('/console/api/session', { cookie })).text()
  }
  return pagesRead() === before
}

describe('an export', () => {
  test(
    'has every row once, over many pages',
    async () => {
      const cookie = await fixture.signIn('u_owen')
      const text = await (await fixture.get(path, { cookie })).text()
      const [head, ...lines] = text.split('\r\n')
      expect(head).toBe(csvColumns.join(','))
      const ids = lines.slice(0, -1).map((line) => line.split(',')[0] ?? '')
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.length).toBe(rowsMade + fixture.seeded.acmeRequestIds.length)
      expect(ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? ''))).toBe(true)
    },
    timeoutMs,
  )

  test(
    'waits for a client that does not read, and ends without an error when the client disconnects',
    async () => {
      const cookie = await fixture.signIn('u_owen')
      const readers = await Promise.all([openReader(cookie), openReader(cookie)])
      await eventually('pages are read', () => pagesRead() > 2)
      await eventually('the export waits for its reader', () => isAtRest(cookie))
      expect(pagesRead()).toBeLessThan(rowsMade / 500)
      const busy = await fixture.get(path, { cookie })
      expect(busy.status).toBe(503)
      expect(busy.headers.get('retry-after')).toBe('10')
      expect((await readJson<ErrorAnswer>(busy)).error.detail).toBe('exports_busy')
      for (const reader of readers) reader.destroy()
      // The places are free again, and the export reads nothing after the disconnect.
      await eventually('a place is free', async () => {
        const response = await fixture.get(`${path}?from=${fixture.nowMs() + 1}`, { cookie })
        await response.text()
        return response.status === 200
      })
      await eventually('nothing is read any more', () => isAtRest(cookie))
      expect(pagesRead()).toBeLessThan(rowsMade / 500)
      expect([fixture.errors, unhandled]).toEqual([[], []])
    },
    timeoutMs,
  )

  test(
    'whose client disconnects in the middle of a page ends without an error',
    async () => {
      const cookie = await fixture.signIn('u_owen')
      for (let count = 0; count < 20; count += 1) {
        const leaving = new AbortController()
        const response = await fetch(`${fixture.url}${path}`, {
          headers: { cookie },
          signal: leaving.signal,
        })
        const reader = response.body?.getReader()
        for (let piece = 0; piece < count % 4; piece += 1) await reader?.read()
        leaving.abort()
        await reader?.read().catch(() => undefined)
        await eventually('the place is free again', async () => {
          const next = await fixture.get(`${path}?from=${fixture.nowMs() + 1}`, { cookie })
          await next.text()
          return next.status === 200
        })
      }
      await eventually('nothing is read any more', () => isAtRest(cookie))
      expect([fixture.errors, unhandled]).toEqual([[], []])
    },
    timeoutMs,
  )

  test(
    'is limited in number, per user and in total',
    async () => {
      const opened: Socket[] = []
      const statusOf = async (user: string) => {
        const response = await fixture.get(`${path}?from=${fixture.nowMs() + 1}`, {
          cookie: await fixture.signIn(user),
        })
        await response.text()
        return response.status
      }
      const { perUserMax, atOnceMax } = exportLimits
      await fixture.engine.db.updateTable('membership').set({ role: 'owner' }).execute()
      for (const user of ['u_ann', 'u_owen', 'u_vera'].slice(0, atOnceMax / perUserMax)) {
        const cookie = await fixture.signIn(user)
        for (let count = 0; count < perUserMax; count += 1) {
          const before = pagesRead()
          opened.push(await openReader(cookie))
          await eventually('it has begun', () => pagesRead() > before)
        }
      }
      expect(await statusOf('u_bob')).toBe(503)
      for (const reader of opened) reader.destroy()
      await eventually('a place is free', async () => (await statusOf('u_bob')) === 200)
      expect(fixture.errors).toEqual([])
    },
    timeoutMs,
  )

  test(
    'is ended when the client reads nothing for too long',
    async () => {
      const { idleMs } = exportLimits
      exportLimits.idleMs = 20
      const cookie = await fixture.signIn('u_owen')
      const readers = await Promise.all([openReader(cookie), openReader(cookie)])
      try {
        await eventually('pages are read', () => pagesRead() > 2)
        await eventually('a place is free', async () => {
          const response = await fixture.get(`${path}?from=${fixture.nowMs() + 1}`, { cookie })
          await response.text()
          return response.status === 200
        })
        // The sent part ends with a line that says that it is incomplete.
        const [reader] = readers
        let tail = ''
        reader?.on('data', (bytes: Buffer) => {
          tail = (tail + bytes.toString('latin1')).slice(-100)
        })
        reader?.resume()
        await eventually('the end is read', () => tail.includes('# incomplete'))
        expect([fixture.errors, unhandled]).toEqual([[], []])
      } finally {
        exportLimits.idleMs = idleMs
        for (const reader of readers) reader.destroy()
      }
    },
    timeoutMs,
  )

  test(
    'has one JSON object per line on request',
    async () => {
      const cookie = await fixture.signIn('u_owen')
      const response = await fixture.get(`${path}?format=ndjson`, { cookie })
      expect(response.headers.get('content-type')).toBe('application/x-ndjson')
      const rows = (await response.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(rows.length).toBe(rowsMade + fixture.seeded.acmeRequestIds.length)
      expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(rows.length)
      expect(new Set(rows.map(({ accountId }) => accountId))).toEqual(new Set(['acme']))
      const unknown = await fixture.get(`${path}?format=xls`, { cookie })
      expect((await readJson<ErrorAnswer>(unknown)).error).toMatchObject({ field: 'format' })
    },
    timeoutMs,
  )

  test('interrupted by the database says that it is incomplete, and is logged', async () => {
    const broken = await openConsoleFixture()
    const cookie = await broken.signIn('u_owen')
    await broken.engine.db.schema.dropTable('entry').execute()
    const text = await (await broken.get(path, { cookie })).text()
    expect(text).toEndWith('# incomplete\r\n')
    expect(broken.errors).toHaveLength(1)
    await broken.close()
  })
})
