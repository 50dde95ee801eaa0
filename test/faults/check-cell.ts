import { expect } from 'bun:test'
import type { Selectable } from 'kysely'
import type { AttemptTable, EntryTable, UsageRowTable } from '../../src/store/tables/tables.ts'
import { isObject, parseJson } from '../../src/wire/json.ts'
import { expectNoSecret } from '../support/gateway/ask.ts'
import type { TestGateway } from '../support/gateway/start-gateway.ts'
import { readEvents } from '../support/protocols/read-events.ts'
import { backupOf, type Cell, healthyId } from './cell.ts'
import type { Outcome } from './fault.ts'
import { healthyText } from './faulty-fixture.ts'
import { saidText } from './list-faults.ts'

/** The response as the client of a cell has read it. */
export interface ReceivedReply {
  readonly status: number
  readonly headers: string
  readonly text: string
  readonly requestId: string
}

/** The records of one request in the database. */
export interface Records {
  readonly entries: readonly Selectable<EntryTable>[]
  readonly rows: readonly Selectable<UsageRowTable>[]
  readonly attempts: readonly Selectable<AttemptTable>[]
}

/** The usage of each healthy answer: 600 tokens of new and 400 of cached input, 200 of output. */
const reportedNano = 4_000_000n

export async function askCell(
  gateway: TestGateway,
  { from, isStream, model }: Cell,
): Promise<ReceivedReply> {
  const response = await gateway.open({
    key: 'any',
    path: from.client.path(model, isStream),
    body: from.client.body(model, isStream),
  })
  const text = await response.text()
  const headers = JSON.stringify([...response.headers])
  const requestId = response.headers.get('x-request-id') ?? ''
  return { status: response.status, headers, text, requestId }
}

/** Throws when the result of the cell differs from the expected one. */
export function checkCell(
  gateway: TestGateway,
  cell: Cell,
  told: ReceivedReply,
  records: Records,
  illAsked: number,
): void {
  expectNoSecret(`${told.headers}\n${told.text}\n${JSON.stringify(records.attempts)}`, gateway.keys)
  expect(told.headers + told.text).not.toContain('sk-another')
  const { outcome } = cell.act
  const isRescued = cell.isBacked && outcome.kind === 'failed'
  const expected: Outcome = isRescued ? { kind: 'good', charge: 'reported' } : outcome
  checkTold(cell, told, expected, isRescued ? healthyText : saidText)
  checkCharge(records, expected)
  const attempts = records.attempts.filter(({ reason }) => reason !== 'stale_connection')
  checkAttempts(cell, { ...records, attempts }, outcome, isRescued)
  // The upstream of another cell was just closing the connection: the request may or may not have been read.
  const stale = records.attempts.length - attempts.length
  expect(stale).toBeLessThanOrEqual(1)
  expect(illAsked).toBeGreaterThanOrEqual(cell.act.play ? 1 : 0)
  expect(illAsked).toBeLessThanOrEqual(cell.act.play ? 1 + stale : 0)
}

function checkTold(cell: Cell, told: ReceivedReply, expected: Outcome, text: string): void {
  const { client } = cell.from
  switch (expected.kind) {
    case 'passed-on':
    case 'failed': {
      expect(told.status).toBe(expected.status)
      const value = parseJson(told.text)
      const { message, reason } = client.readFault(value)
      expect(isObject(value)).toBe(true)
      expect(String(message).length).toBeGreaterThan(10)
      if (expected.kind === 'failed' && told.status !== 429 && told.status !== 408)
        expect(reason).toBe(expected.reason)
      if (told.status === 429) expect(told.headers).toContain('["retry-after","7"]')
      return
    }
    case 'broken': {
      expect(told.status).toBe(200)
      const events = readEvents(told.text)
      expect(client.streamedText(events)).toBe(text)
      expect(client.countEnds(events)).toBe(0)
      expect(client.streamedFault(events)).toMatchObject({ reason: expected.reason })
      return
    }
    case 'good': {
      expect(told.status).toBe(200)
      if (!cell.isStream) {
        expect(client.textOf(parseJson(told.text))).toBe(text)
        return
      }
      const events = readEvents(told.text)
      expect(client.streamedText(events)).toBe(text)
      expect(client.countEnds(events)).toBe(1)
      expect(client.streamedFault(events)).toBeUndefined()
    }
  }
}

function checkCharge({ entries, rows }: Records, expected: Outcome): void {
  expect({ entries: entries.length, rows: rows.length }).toEqual({ entries: 1, rows: 1 })
  const [entry] = entries
  const [row] = rows
  if (!entry || !row) throw new Error('the request was not settled')
  expect(row.cost_nano).toBe(entry.cost_nano)
  const { input_tokens: input, cache_read_tokens: cached, output_tokens: output } = entry
  expect(entry.cost_nano).toBe(BigInt(input * 2_500 + cached * 1_250 + output * 10_000))
  switch (expected.kind) {
    case 'passed-on':
      expect(row).toMatchObject({ status: expected.status, reason: 'upstream_rejected' })
      expect(entry.cost_nano).toBe(0n)
      return
    case 'failed':
      expect(row).toMatchObject({ status: expected.status, reason: expected.reason })
      expect(entry.cost_nano).toBe(0n)
      return
    case 'broken':
      expect(row).toMatchObject({ status: expected.status, reason: expected.reason })
      expect(output).toBeGreaterThan(1)
      expect(output).toBeLessThan(8)
      expect(entry.cost_nano).toBeLessThan(reportedNano)
      return
    case 'good':
      expect(row).toMatchObject({ status: 200, reason: null })
      checkGood(entry, expected.charge)
  }
}

function checkGood(entry: Selectable<EntryTable>, charge: 'reported' | 'estimated' | 'bounded') {
  const { output_tokens: output, cost_nano: cost } = entry
  const prompt = entry.input_tokens + entry.cache_read_tokens + entry.cache_write_5m_tokens
  if (charge === 'reported') {
    expect(cost).toBe(reportedNano)
    return
  }
  if (charge === 'estimated') expect(entry.usage_source).toBe('estimated')
  expect(output).toBeGreaterThan(0)
  expect(output).toBeLessThanOrEqual(charge === 'estimated' ? 8 : 16_384)
  expect(prompt).toBeGreaterThan(0)
  expect(prompt).toBeLessThanOrEqual(charge === 'estimated' ? 100 : 128_000)
}

function checkAttempts(
  cell: Cell,
  { attempts, rows }: Records,
  outcome: Outcome,
  isRescued: boolean,
): void {
  const ids = attempts.map((attempt) => attempt.upstream_id)
  const [first] = attempts
  if (outcome.kind === 'good') {
    expect(ids.every((id) => id === cell.model)).toBe(true)
    expect(rows[0]?.upstream_id).toBe(cell.model)
    return
  }
  expect(ids).toEqual(isRescued ? [cell.model, healthyId(backupOf(cell))] : [cell.model])
  expect(first?.reason).toBe(outcome.kind === 'passed-on' ? 'upstream_rejected' : outcome.reason)
  if (isRescued) expect(attempts[1]).toMatchObject({ status: 200, reason: null })
}
