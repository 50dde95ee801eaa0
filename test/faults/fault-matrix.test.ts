import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { expectAudited, expectRest } from '../support/gateway/with-gateway.ts'
import { missingPart } from '../support/missing-part.ts'
import { hasOpenssl } from '../support/outgoing/make-private-ca.ts'
import { type Cell, cellsOf } from './cell.ts'
import { askCell, checkCell, type ReceivedReply, type Records } from './check-cell.ts'
import { either, type FaultKind, failed } from './fault.ts'
import { type FaultyFixture, startFaultyFixture } from './faulty-fixture.ts'
import { faultKinds, proxiedFaults } from './list-faults.ts'

/*
 * Every fault × client protocol × upstream protocol × streamed or not × alone or with a healthy second upstream, over
 * real sockets.
 */

let fixture: FaultyFixture
let passed = 0
let total = 0
const startedMs = performance.now()
beforeAll(async () => {
  fixture = await startFaultyFixture()
})
afterAll(async () => {
  await expectAudited(fixture.gateway)
  await fixture.stop()
  const seconds = (performance.now() - startedMs) / 1_000
  const figure = `fault matrix: ${passed} / ${total} cells passed in ${seconds.toFixed(1)} s`
  process.stdout.write(`FIGURES: ${figure}\n`)
})

const strangers: readonly FaultKind[] = hasOpenssl
  ? [either('a certificate that nobody knows', failed(), undefined, 'strange-tls')]
  : []
if (!hasOpenssl) missingPart('faults: an untrusted certificate', 'no openssl')

describe('every fault, for every pair of protocols', () => {
  const proxied = proxiedFaults(hasOpenssl ? ['proxied', 'tunnelled'] : ['proxied'])
  test.each([...faultKinds, ...strangers, ...proxied])('$name', async (fault) => {
    const { gateway } = fixture
    const cells = cellsOf(fault)
    fixture.play(cells)
    const told = await Promise.all(cells.map((cell) => askCell(gateway, cell)))
    // Every hold is closed, every charge accounted for, no secret in the log.
    await expectRest(gateway)
    const records = await readRecords(told)
    const wrong: string[] = []
    for (const [index, cell] of cells.entries()) {
      const problem = problemOf(cell, told[index], records)
      total += 1
      if (problem === undefined) passed += 1
      else wrong.push(`${nameOf(cell)}: ${problem}`)
    }
    expect(wrong).toEqual([])
  })
})

function problemOf(
  cell: Cell,
  told: ReceivedReply | undefined,
  records: ReadonlyMap<string, Records>,
): string | undefined {
  try {
    const own = records.get(told?.requestId ?? '')
    if (!told || !own) throw new Error('the fault has no expected outcome')
    checkCell(fixture.gateway, cell, told, own, fixture.askedOf(cell.model))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function readRecords(told: readonly ReceivedReply[]): Promise<ReadonlyMap<string, Records>> {
  const ids = told.map(({ requestId }) => requestId)
  const { db } = fixture.gateway.engine
  const entries = await db.selectFrom('entry').selectAll().where('request_id', 'in', ids).execute()
  const rows = await db.selectFrom('usage_row').selectAll().where('request_id', 'in', ids).execute()
  const attempts = await db
    .selectFrom('attempt')
    .selectAll()
    .where('request_id', 'in', ids)
    .orderBy('ordinal')
    .execute()
  return new Map(
    ids.map((id) => [
      id,
      {
        entries: entries.filter((each) => each.request_id === id),
        rows: rows.filter((each) => each.request_id === id),
        attempts: attempts.filter((each) => each.request_id === id),
      },
    ]),
  )
}

function nameOf({ from, to, isStream, isBacked }: Cell): string {
  const shape = isStream ? 'stream' : 'whole'
  return `${from.name} over ${to.name}, ${shape}, ${isBacked ? 'backed' : 'alone'}`
}
