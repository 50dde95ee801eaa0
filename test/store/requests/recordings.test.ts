import { describe, expect, test } from 'bun:test'
import { maintainUsageLog } from '../../../src/app/node/maintain-usage-log.ts'
import { newRequestId } from '../../../src/core/id.ts'
import { openContent, sealContent } from '../../../src/recording/content.ts'
import { endUserHash } from '../../../src/recording/end-user-hash.ts'
import { eraseRecordings, sweepRecordings } from '../../../src/recording/erase-recordings.ts'
import { changePolicy } from '../../../src/recording/policy-store.ts'
import { writeRecordings } from '../../../src/recording/write-recordings.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { eventually } from '../../support/eventually.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'

const dayMs = 24 * 60 * 60_000
const nowMs = Date.parse('2027-03-01T00:00:00Z')
const vault = createVault(Buffer.from('a secret for tests, long enough for all'))
const bytesMax = 1024 ** 3

async function prepare(engine: Engine): Promise<void> {
  await engine.db
    .insertInto('account')
    .values({
      id: 'acme',
      name: 'Acme',
      status: 'active',
      available_nano: 0n,
      created_at: 1,
    })
    .execute()
  await write(engine, nowMs, (writing) =>
    changePolicy(writing, 'acme', { scope: 'all', retentionDays: 10 }),
  )
}

async function add(engine: Engine, atMs: number, endUser: string): Promise<string> {
  const requestId = newRequestId(atMs)
  const bytes = Buffer.from('prompt')
  const body = { bytes, length: bytes.length }
  const sealed = await sealContent(vault, { endUsers: [endUser], request: body, response: body })
  const row = {
    request_id: requestId,
    account_id: 'acme',
    key_id: 'k',
    protocol: 'messages',
    model: null,
    status: 200,
    end_user_hash: null,
    other_user_hash: endUserHash(vault, 'acme', endUser),
    request_bytes: 6,
    response_bytes: 6,
    stored_bytes: sealed.length,
    content_sealed: sealed,
  }
  await writeRecordings(engine, 'acme', [{ atMs, row }], bytesMax)
  return requestId
}

async function idsIn({ db }: Engine): Promise<string[]> {
  const rows = await db.selectFrom('recording').selectAll().orderBy('request_id').execute()
  const policy = await db.selectFrom('recording_policy').selectAll().executeTakeFirst()
  const sum = rows.reduce((total, row) => total + row.stored_bytes, 0)
  expect(policy?.stored_bytes).toBe(sum)
  return rows.map((row) => row.request_id)
}

for (const fixture of engineFixtures('recordings')) {
  describe(fixture.kind, () => {
    test('expire after the days of the account, or earlier if the gateway has a lower limit', async () => {
      const engine = await fixture.openMigrated()
      await prepare(engine)
      const old = await add(engine, nowMs - 11 * dayMs, 'ann')
      const middle = await add(engine, nowMs - 9 * dayMs, 'ann')
      const young = await add(engine, nowMs - dayMs, 'ann')
      expect(await idsIn(engine)).toEqual([old, middle, young])
      expect(await sweepRecordings(engine, nowMs, 90 * dayMs)).toBe(1)
      expect(await idsIn(engine)).toEqual([middle, young])
      expect(await sweepRecordings(engine, nowMs, 2 * dayMs)).toBe(1)
      expect(await idsIn(engine)).toEqual([young])
      expect(await sweepRecordings(engine, nowMs, 2 * dayMs)).toBe(0)
    })

    test('are deleted when they expire while the gateway runs', async () => {
      const engine = await fixture.openMigrated()
      await prepare(engine)
      await add(engine, nowMs, 'ann')
      const young = await add(engine, nowMs + dayMs, 'ann')
      const lines: string[] = []
      const clock = { now: nowMs, nowMs: () => clock.now, monotonicMs: () => 0 }
      const log = createLog({
        level: 'info',
        nowMs: clock.nowMs,
        write: (line) => lines.push(line),
      })
      const kept = await maintainUsageLog({
        engine,
        clock,
        log,
        usageRetentionMs: 0,
        recording: { recordingRetentionMs: 90 * dayMs },
        times: { sweepEveryMs: 1 },
      })
      clock.now += 10 * dayMs + 1
      await eventually('the older one is deleted', () => lines.length > 0)
      await kept.stop()
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { event: 'recordings_swept', recordings: 1 },
      ])
      expect(await idsIn(engine)).toEqual([young])
    })

    test('an erasure covers recordings that another process writes later, but not new requests', async () => {
      const [one, two] = await fixture.openTwo()
      await prepare(one)
      await add(one, nowMs, 'ann')
      const bens = await add(two, nowMs, 'ben')
      const erasure = { accountId: 'acme', endUser: 'ann', nowMs }
      expect(await eraseRecordings(one, vault, erasure)).toBe(1)
      await add(two, nowMs - 5, 'ann')
      expect(await idsIn(two)).toEqual([bens])
      const later = await add(two, nowMs + 60_000, 'ann')
      expect(await idsIn(two)).toEqual([bens, later])
    })

    test('an erasure and writers at the same time leave nothing behind, and the sum is exact', async () => {
      const [one, two] = await fixture.openTwo()
      await prepare(one)
      const writing = Array.from({ length: 30 }, (_, at) =>
        add(at % 2 ? one : two, nowMs + at, 'ann'),
      )
      const erased = eraseRecordings(one, vault, { accountId: 'acme', endUser: 'ann', nowMs })
      await Promise.all([...writing, erased])
      expect(await idsIn(one)).toEqual([])
    })

    test('the same recording counts once, and none is written after the account has stopped', async () => {
      const engine = await fixture.openMigrated()
      await prepare(engine)
      const id = await add(engine, nowMs, 'ann')
      const row = await engine.db.selectFrom('recording').selectAll().executeTakeFirstOrThrow()
      await writeRecordings(engine, 'acme', [{ atMs: nowMs, row }], bytesMax)
      expect(await idsIn(engine)).toEqual([id])
      expect((await openContent(vault, row.content_sealed)).endUsers).toEqual(['ann'])
      await write(engine, nowMs, (writing) => changePolicy(writing, 'acme', { scope: 'off' }))
      await add(engine, nowMs + 1, 'ann')
      expect(await idsIn(engine)).toEqual([id])
    })
  })
}
