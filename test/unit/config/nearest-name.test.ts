import { expect, test } from 'bun:test'
import { nearestName } from '../../../src/config/nearest-name.ts'

const names = ['listen', 'database', 'data', 'brand', 'logLevel', 'openai-compatible']

const rows: [string, string | undefined][] = [
  ['listn', 'listen'],
  ['lisetn', 'listen'],
  ['LISTEN', 'listen'],
  ['brnad', 'brand'],
  ['loglevel', 'logLevel'],
  ['databse', 'database'],
  ['dat', 'data'],
  ['openai', 'openai-compatible'],
  ['colour', undefined],
  ['x', undefined],
  ['', undefined],
]

for (const [typed, meant] of rows) {
  test(`"${typed}" means ${meant ?? 'nothing'}`, () => {
    expect(nearestName(typed, names)).toBe(meant)
  })
}
