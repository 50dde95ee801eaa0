import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { matrixPath, renderMatrix } from './render-matrix.ts'

describe('the matrix of protocol pairs and features', () => {
  const seen = renderMatrix()

  test('nothing is lost without a warning', () => {
    const lost = seen.split('\n').filter((line) => / lost +\|/.test(line))
    expect(lost).toEqual([])
  })

  test('docs/protocols/matrix.md matches the code (node tools/golden.mjs --write)', () => {
    const written = existsSync(matrixPath) ? readFileSync(matrixPath, 'utf8') : 'no file'
    expect(seen).toBe(written)
  })
})
