import { describe, expect, test } from 'bun:test'
import { relayLines } from '../../../../src/app/workers/relay-lines.ts'

const encoder = new TextEncoder()

function relay(pieces: readonly (string | Uint8Array)[]): readonly string[] {
  const written: string[] = []
  const lines = relayLines(2, (text) => written.push(text))
  for (const piece of pieces) lines.add(typeof piece === 'string' ? encoder.encode(piece) : piece)
  lines.end()
  return written
}

const heart = encoder.encode('♥\n')

const cases: readonly {
  readonly name: string
  readonly pieces: readonly (string | Uint8Array)[]
  readonly written: readonly string[]
}[] = [
  {
    name: 'whole log lines unchanged, in one write',
    pieces: ['{"a":1}\n{"b":2}\n'],
    written: ['{"a":1}\n{"b":2}\n'],
  },
  {
    name: 'a line in pieces, written once it is whole',
    pieces: ['{"a"', ':1}', '\n'],
    written: ['{"a":1}\n'],
  },
  {
    name: 'any other line with the number of its worker',
    pieces: ['tollgate: no\n'],
    written: ['worker 2: tollgate: no\n'],
  },
  { name: 'a last line without an end', pieces: ['panic'], written: ['worker 2: panic\n'] },
  {
    name: 'a character in two pieces',
    pieces: [heart.slice(0, 1), heart.slice(1)],
    written: ['worker 2: ♥\n'],
  },
]

describe('the lines of a worker', () => {
  for (const { name, pieces, written } of cases) {
    test(name, () => expect(relay(pieces)).toEqual([...written]))
  }

  test('a line without an end is cut, so that it does not fill the memory', () => {
    const piece = 'x'.repeat(600_000)
    const written: string[] = []
    const lines = relayLines(1, (text) => written.push(text))
    lines.add(encoder.encode(piece))
    expect(written).toEqual([])
    lines.add(encoder.encode(piece))
    expect(written.join('').length).toBeGreaterThan(1_200_000)
  })
})
