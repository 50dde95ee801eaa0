import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { casesOf, crossPairs, goldenPath } from './golden-case.ts'
import { renderPair } from './render-pair.ts'

describe('golden pairs (after an intended change: node tools/golden.mjs --write, then read the diff)', () => {
  for (const pair of crossPairs) {
    for (const name of casesOf(pair)) {
      test(`${pair.client} → ${pair.upstream}: ${name}`, () => {
        const path = goldenPath(pair, name)
        const golden = existsSync(path) ? readFileSync(path, 'utf8') : 'no golden file'
        expect(renderPair(pair, name)).toBe(golden)
      })
    }
  }
})
