import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { readAdmitRecords } from '../../../src/ledger/journal/admit-record.ts'
import {
  type OpenAppendFile,
  openAppendFile,
  openReservingFile,
} from '../../../src/ledger/journal/append-file.ts'
import { openJournal, openLines, sealLine } from '../../../src/ledger/journal/journal-lines.ts'
import { countLeftovers } from '../../../src/ledger/journal/leftovers.ts'
import { LineBuffer } from '../../../src/ledger/journal/line-buffer.ts'
import { recoverDead } from '../../../src/ledger/journal/recover.ts'
import type { ShapedRecord } from '../../../src/store/units/shape.ts'
import { nextTurn } from '../../support/next-turn.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import {
  costing,
  endTest,
  holdRequest,
  openFunds,
  openReplica,
  readFunds,
} from '../ledger/ledger-helpers.ts'
import { holdIn, journalText } from './journal-helpers.ts'

afterEach(endTest)

const anyJson = fc.json({ stringUnit: 'binary' })

/** A disk that counts writes and can be full: then it writes a few bytes and fails. */
function troubledDisk() {
  const disk = { writes: 0, isFull: false }
  const open: OpenAppendFile = (path) => {
    const file = openAppendFile(path)
    return {
      ...file,
      append: (bytes, start) => {
        disk.writes += 1
        if (!disk.isFull) return file.append(bytes, start)
        file.append(bytes.subarray(0, start + 7), start)
        throw new Error('no space left on device')
      },
    }
  }
  return { disk, open }
}

function admittedIn(folder: string): string[] {
  const lines = openLines(journalText(folder)).filter((line) => line.kind === 'A')
  return lines.flatMap((line) => readAdmitRecords(line.json)).map((record) => record.requestId)
}

describe.each(engineFixtures('journal'))('journal on $kind', (fixture) => {
  test('all lines of one turn are one write, and no request is admitted before it', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000_000n })
    const { disk, open } = troubledDisk()
    const { ledger, folder } = await openReplica(engine, 'r', undefined, open)
    holdIn(await ledger.reserve(holdRequest(10n, 'first'))).settle(costing(1n), [])
    const before = disk.writes
    const verdicts = ['a', 'b', 'c'].map((name) => ledger.reserve(holdRequest(10n, name)))
    expect(verdicts.some((verdict) => verdict instanceof Promise)).toBe(false)
    const holds = (await Promise.all(verdicts.map(async (verdict) => verdict))).map(holdIn)
    expect({ writes: disk.writes - before, admitted: admittedIn(folder) }).toEqual({
      writes: 0,
      admitted: ['first'],
    })
    await Promise.all(holds.map((hold) => hold.admitted))
    expect({ writes: disk.writes - before, admitted: admittedIn(folder) }).toEqual({
      writes: 1,
      admitted: ['first', 'a', 'b', 'c'],
    })
    await Promise.all(holds.map((hold) => hold.settleSoon(costing(2n), [])))
    expect(disk.writes - before).toBe(2)
    await ledger.close()
    expect(await readFunds(engine)).toMatchObject({ spentNano: 7n })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a request whose line cannot be written is not admitted, and its hold is returned', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 10n })
    const { disk, open } = troubledDisk()
    const { ledger } = await openReplica(engine, 'r', undefined, open)
    holdIn(await ledger.reserve(holdRequest(10n))).settle(costing(0n), [])
    disk.isFull = true
    const hold = holdIn(await ledger.reserve(holdRequest(10n)))
    expect(await failureOf(hold.admitted)).toContain('no space left')
    expect(ledger.openHolds).toBe(0)
    disk.isFull = false
    const again = holdIn(await ledger.reserve(holdRequest(10n)))
    await again.admitted
    again.settle(costing(10n), [])
    await ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 0n, spentNano: 10n })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a settlement that cannot be written leaves its hold to recovery and does not damage later lines', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000n })
    const { disk, open } = troubledDisk()
    const { ledger, folder, die } = await openReplica(engine, 'r', undefined, open)
    const lost = holdIn(await ledger.reserve(holdRequest(10n, 'lost')))
    const soon = holdIn(await ledger.reserve(holdRequest(10n, 'soon')))
    const good = holdIn(await ledger.reserve(holdRequest(10n, 'good')))
    await good.admitted
    disk.isFull = true
    const written = soon.settleSoon(costing(5n), [])
    expect(() => lost.settle(costing(4n), [])).toThrow('no space left')
    expect(await failureOf(written)).toContain('no space left')
    expect(() => lost.settle(costing(4n), [])).toThrow('settled already')
    expect(ledger.openHolds).toBe(3)
    disk.isFull = false
    good.settle(costing(3n), [])
    expect(ledger.openHolds).toBe(2)
    die()
    const recovery = await recoverDead(engine, { folder }, () => [])
    expect(recovery).toMatchObject({ requests: 2 })
    const entries = await engine.db.selectFrom('entry').selectAll().orderBy('request_id').execute()
    expect(entries.map((entry) => [entry.request_id, entry.cost_nano, entry.flags])).toEqual([
      ['good', 3n, ''],
      ['lost', 1n, 'interrupted'],
      ['soon', 1n, 'interrupted'],
    ])
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a journal of several files is recovered file by file, whichever file has the settlement', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 10_000n })
    const { ledger, folder, die } = await openReplica(engine)
    const holds = await Promise.all(
      Array.from({ length: 1_100 }, async (_, number) =>
        holdIn(await ledger.reserve(holdRequest(1n, `request-${String(number).padStart(4, '0')}`))),
      ),
    )
    for (const hold of holds.slice(0, 50)) hold.settle(costing(1n), [])
    die()
    const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.log'))
    const lines = openLines(readFileSync(join(folder, name), 'utf8'))
    expect(lines.map((line) => line.kind)).toContain('S')
    for (const [index, line] of lines.toReversed().entries()) {
      const part = name.replace(/-\d+\.log$/, `-${index + 2}.log`)
      writeFileSync(join(folder, part), sealLine(line.kind, line.json))
    }
    rmSync(join(folder, name))
    expect(await recoverDead(engine, { folder }, () => [])).toMatchObject({ requests: 1_050 })
    const entries = await engine.db
      .selectFrom('entry')
      .select(['flags', (expression) => expression.fn.countAll().as('count')])
      .groupBy('flags')
      .orderBy('flags')
      .execute()
    expect(entries.map((entry) => [entry.flags, Number(entry.count)])).toEqual([
      ['', 50],
      ['interrupted', 1_050],
    ])
    expect(readdirSync(folder)).toEqual([])
    expect(await findImbalances(engine)).toEqual([])
  })

  test('admissions written by version 0.1.0 are still read', () => {
    const { requestId, accountId, keyId, recovery } = holdRequest(10n, 'old')
    const old = { requestId, accountId, keyId, leaseId: 'l', recoveryNano: '7' }
    const [line] = openLines(sealLine('A', JSON.stringify({ ...old, story: recovery })))
    expect(readAdmitRecords(line?.json ?? '')).toEqual([{ ...old, recovery }])
  })

  test('records that the database rejects for their values are set aside one by one; the others are stored', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000n })
    const { ledger, folder } = await openReplica(engine, 'r', undefined, undefined, () => undefined)
    const holds = [1, 2, 3].map(async (number) =>
      holdIn(await ledger.reserve(holdRequest(10n, `request-${number}`))),
    )
    // No shape has this name.
    const bad = (id: string): ShapedRecord => ['unknown-1', id]
    for (const [index, hold] of (await Promise.all(holds)).entries()) {
      await hold.admitted
      // The first record of a request is its entry, which is charged even if its log records are refused.
      void hold.settleSoon(costing(2n), [bad(`request-${index + 1}`)])
    }
    ledger.record([bad('refused'), ['uncovered-1', 'refused', 1]])
    await ledger.shipped()
    expect(ledger.unshipped).toBe(0)
    const refused = openLines(readFileSync(join(folder, 'refused.log'), 'utf8'))
    expect(refused.map((line) => JSON.parse(line.json))).toEqual([
      [bad('request-1')],
      [bad('request-2')],
      [bad('request-3')],
      // Without the first record, no other record of the request is written.
      [bad('refused'), ['uncovered-1', 'refused', 1]],
    ])
    expect(await engine.db.selectFrom('uncovered').selectAll().execute()).toEqual([])
    expect(countLeftovers(folder)).toEqual({ refusedRecords: 5, damagedLines: 0 })
    await ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 994n, spentNano: 6n })
    expect(await findImbalances(engine)).toEqual([])
  })
})

describe('journal lines', () => {
  test('are found again in a preallocated file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-reserve-'))
    const path = join(folder, 'journal')
    const file = openReservingFile(path)
    const written: string[] = []
    for (let number = 0; number < 900; number += 1) {
      const json = JSON.stringify([number, 'x'.repeat(number % 700)])
      const bytes = Buffer.from(sealLine('S', json))
      // A line that is written in two parts is one line.
      const half = file.append(bytes.subarray(0, bytes.length >> 1), 0)
      file.append(bytes, half)
      written.push(json)
      if (number % 300 > 0) continue
      const found = openLines(readFileSync(path, 'utf8'))
      expect(found.map((line) => line.json)).toEqual(written)
      // The file grows only in large steps.
      expect(readFileSync(path).length % (256 * 1024)).toBe(0)
    }
    file.close()
    file.remove()
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
  })

  test('are the same in a buffer and as text, for any content', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('A' as const, 'S' as const), anyJson)),
        (given) => {
          const buffer = new LineBuffer()
          for (const [kind, json] of given) buffer.add(kind, json)
          const text = Buffer.from(buffer.lines).toString()
          expect(text).toBe(given.map(([kind, json]) => sealLine(kind, json)).join(''))
          expect(openLines(text)).toEqual(given.map(([kind, json]) => ({ kind, json })))
        },
      ),
    )
  })

  test.each<[string, string, number, number]>([
    ['nothing', '', 0, 0],
    ['two valid lines', sealLine('A', '[1]') + sealLine('S', '[2]'), 2, 0],
    [
      'a line with one changed letter',
      sealLine('A', '[1]').replace('1', '2') + sealLine('S', '[2]'),
      1,
      1,
    ],
    ['a truncated line', sealLine('A', '[1]') + sealLine('S', '[2]').slice(0, -3), 1, 1],
    ['a line that its writer abandoned', `S[[1\t-\n${sealLine('S', '[2]')}`, 1, 0],
    ['preallocated space', sealLine('A', '[1]') + '\0'.repeat(99), 1, 0],
    ['a hole before a line', '\0'.repeat(99) + sealLine('A', '[1]'), 1, 1],
    ['a hole across two lines', `A[1${'\0'.repeat(9)}2]\t1\n${sealLine('S', '[2]')}`, 1, 1],
    ['a line of an unknown kind', `X[1]\t0\n${sealLine('S', '[2]')}`, 1, 1],
  ])('%s', (_, text, lines, damaged) => {
    const opened = openJournal(text)
    expect([opened.lines.length, opened.damagedTexts.length]).toEqual([lines, damaged])
  })

  test('the buffer is reused and grows when needed', () => {
    const buffer = new LineBuffer()
    const long = JSON.stringify(['ü😀'.repeat(100_000)])
    for (const json of ['[1]', long, '[2]']) {
      buffer.clear()
      buffer.addAbandonedEnd()
      buffer.add('S', json)
      expect(Buffer.from(buffer.lines).toString()).toBe(`\t-\n${sealLine('S', json)}`)
    }
  })
})

/** A disk whose syncs finish when the test allows it. */
function slowDisk() {
  const syncs: PromiseWithResolvers<void>[] = []
  const open: OpenAppendFile = (path) => ({
    ...openAppendFile(path),
    sync: () => {
      const sync = Promise.withResolvers<void>()
      syncs.push(sync)
      return sync.promise
    },
  })
  return { syncs, open }
}

async function isSettledBy(promise: Promise<unknown> | undefined): Promise<boolean> {
  const pending = Symbol('pending')
  await nextTurn()
  return (await Promise.race([promise?.then(() => true), Promise.resolve(pending)])) !== pending
}

describe.each(engineFixtures('durability'))('durability on $kind', (fixture) => {
  test('fsync: a response ends when its settlement is on disk, and one sync serves all waiting responses', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000_000n })
    const { syncs, open } = slowDisk()
    const replica = await openReplica(engine, 'r', undefined, open, undefined, {
      durability: 'fsync',
    })
    const names = ['first', 'second', 'third']
    const holds = await Promise.all(
      names.map(async (name) => holdIn(await replica.ledger.reserve(holdRequest(10n, name)))),
    )
    // Forwarding a request does not wait for the disk, because nothing is promised to the client yet.
    await Promise.all(holds.map((hold) => hold.admitted))
    const ends: Promise<void>[] = []
    for (const hold of holds) {
      ends.push(hold.settleSoon(costing(1n), []))
      await nextTurn()
    }
    const [first, second, third] = ends
    expect(await Promise.all(ends.map(isSettledBy))).toEqual([false, false, false])
    expect(syncs).toHaveLength(1)
    syncs[0]?.resolve()
    await first
    // Lines that were written during a sync need the next sync.
    expect([await isSettledBy(second), await isSettledBy(third)]).toEqual([false, false])
    expect(syncs).toHaveLength(2)
    syncs[1]?.resolve()
    await Promise.all([second, third])
    for (const sync of syncs) sync.resolve()
    await replica.ledger.close()
    expect(await findImbalances(engine)).toEqual([])
  })

  test('fsync: a failing disk is reported, and the response does not end', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000_000n })
    const { syncs, open } = slowDisk()
    const errors: unknown[] = []
    const { ledger } = await openReplica(engine, 'r', undefined, open, undefined, {
      durability: 'fsync',
      onDiskError: (error) => errors.push(error),
    })
    const hold = holdIn(await ledger.reserve(holdRequest(10n, 'first')))
    await hold.admitted
    const settled = hold.settleSoon(costing(1n), [])
    await isSettledBy(settled)
    const eio = Object.assign(new Error('i/o error'), { code: 'EIO' })
    syncs[0]?.reject(eio)
    expect(await failureOf(settled)).toBe('i/o error')
    expect(errors).toEqual([eio])
    // Written lines are shipped even if the disk fails.
    await ledger.shipped()
  })

  test('database: a response ends when the database has its entry', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000_000n })
    const replica = await openReplica(engine, 'r', undefined, undefined, undefined, {
      durability: 'database',
    })
    const hold = holdIn(await replica.ledger.reserve(holdRequest(10n, 'first')))
    await hold.admitted
    await hold.settleSoon(costing(4n), [])
    const entries = await engine.db
      .selectFrom('entry')
      .select(['request_id', 'cost_nano'])
      .execute()
    expect(entries).toEqual([{ request_id: 'first', cost_nano: 4n }])
    await replica.ledger.close()
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a full journal admits no request, and open requests are still settled', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000_000n })
    const replica = await openReplica(engine, 'r', undefined, undefined, undefined, {
      bytesMax: 10,
    })
    const hold = holdIn(await replica.ledger.reserve(holdRequest(10n, 'first')))
    await hold.admitted
    expect(() => replica.ledger.reserve(holdRequest(10n, 'second'))).toThrow('the journal is full')
    await hold.settleSoon(costing(4n), [])
    await replica.ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 999_996n })
    expect(await findImbalances(engine)).toEqual([])
  })
})
