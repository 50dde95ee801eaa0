import { expect, test } from 'bun:test'
import { type LogEvent, logEvents } from '../../../src/core/telemetry/log-event.ts'
import { isNamedInSources } from './named-in-sources.ts'
import { readDocument, sectionOf } from './table-rows.ts'

test.each([...logEvents])('the name of the log event %s has the form of all others', (event) => {
  expect(event).toMatch(/^[a-z]+(_[a-z]+)*$/)
})

test.each([...logEvents])('the log event %s is logged somewhere', (event) => {
  expect(isNamedInSources(event, 'core/telemetry/log-event.ts')).toBeTrue()
})

/** Described in the text above the tables. */
const inText: readonly LogEvent[] = ['request']

test('docs/metrics.md lists every log event with its level, and no other', () => {
  const levels = /^\| (?:error|warn|info|debug) .*$/gm
  const rows = sectionOf(readDocument('docs/metrics.md'), '### The access log').match(levels) ?? []
  const listed = rows.join().matchAll(/`(\w+)`/g)
  const names = new Set([...inText, ...[...listed].map(([, name = '']) => name)])
  expect([...names].toSorted()).toEqual([...logEvents].toSorted())
})
