import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { LogLevel } from '../../../src/core/telemetry/log-level.ts'
import { bufferedWriter } from '../../../src/telemetry/buffered-writer.ts'
import { createLog, type LogFields, maskSecrets } from '../../../src/telemetry/log.ts'

function logged(fields: LogFields, level: LogLevel = 'debug'): string {
  let text = ''
  const write = (line: string) => {
    text += line
  }
  createLog({ level, nowMs: () => 0, write }).info('recovered', fields)
  return text
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const secret = fc
  .array(fc.constantFrom(...letters.split('')), { minLength: 20, maxLength: 40 })
  .map((characters) => characters.join(''))
const before = fc.constantFrom('', ' ', '"', "'", '{"a":"', 'and more: ', '\n', '\t', '\\')
const after = fc.constantFrom('', ' ', '"', "'", '", "b": 1}', ' and more', '\n', '\\')

/** All known ways in which a secret gets into a message. */
const places: [string, (value: string) => string][] = [
  ['a key of the gateway', (value) => `sk-${value}`],
  ['a project key', (value) => `sk-proj-${value}_x-y`],
  ['a key of another vendor', (value) => `sk-ant-api03-${value}`],
  ['a key with an underscore', (value) => `gsk_${value}`],
  ['a key of xAI', (value) => `xai-${value}`],
  ['a key of Google', (value) => `AIza${value}`],
  ['a bearer token', (value) => `Authorization: Bearer ${value}`],
  ['a bearer token in lower case', (value) => `authorization: bearer ${value}`],
  ['a password in a URL', (value) => `postgres://user:${value}@db.example.com/name`],
  ['a password with an at sign', (value) => `postgres://user:p@${value}@db.example.com/name`],
  ['a password without a user', (value) => `redis://:${value}@cache:6379`],
  ['a key in a query', (value) => `GET /v1beta/models?key=${value}`],
  ['a key later in a query', (value) => `http://h/p?alt=sse&key=${value}&x=1`],
]

describe('log', () => {
  test.each(places)('%s does not survive, and the line stays JSON', (_, write) => {
    fc.assert(
      fc.property(secret, before, after, (value, head, tail) => {
        const text = head + write(value) + tail
        const line = logged({ why: text, after: 'kept', count: 1 })
        expect(line).not.toContain(value)
        expect(maskSecrets(text)).not.toContain(value)
        expect(JSON.parse(line)).toMatchObject({ event: 'recovered', after: 'kept', count: 1 })
      }),
    )
  })

  test('a secret next to another is masked too', () => {
    const text = 'sk-aaaaaaaaaaaaaaaa,sk-bbbbbbbbbbbbbbbb Bearer cccccccccccccccc;'
    const masked = maskSecrets(text)
    for (const part of ['aaaa', 'bbbb', 'cccc']) expect(masked).not.toContain(part)
  })

  test('text without a secret stays unchanged', () => {
    const plain = [
      'http://127.0.0.1:8080/v1/models',
      'connect http://host:80 failed; write to a@example.com',
      'the task-force met',
      'postgres://user@db/name',
      'risk-free, ask-me-anything',
      '0190b7c4-0000-7000-8000-000000000001',
    ]
    for (const text of plain) expect(maskSecrets(text)).toBe(text)
  })

  test('one line of JSON for one event, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string(), (why) => {
        const line = logged({ why })
        expect(line.indexOf('\n')).toBe(line.length - 1)
        expect(JSON.parse(line)).toMatchObject({ at: '1970-01-01T00:00:00.000Z', level: 'info' })
      }),
    )
  })

  test('levels below the set one are not written', () => {
    expect(logged({}, 'warn')).toBe('')
    const log = createLog({ level: 'warn', nowMs: () => 0, write: () => undefined })
    expect((['debug', 'info', 'warn', 'error'] as const).map((level) => log.isOn(level))).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  test('the lines of one turn are one write, in order, and none is lost', async () => {
    const writes: string[] = []
    const write = bufferedWriter((text) => writes.push(text))
    write('a\n')
    write('b\n')
    const nextTurn = () =>
      new Promise<void>((resolve) => {
        setImmediate(resolve)
      })
    await nextTurn()
    write('c\n')
    await nextTurn()
    expect(writes).toEqual(['a\nb\n', 'c\n'])
  })
})
