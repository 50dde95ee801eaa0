import { expect, test } from 'bun:test'
import { runMutants } from '../../tools/mutants/run-mutants.mjs'
import { patience } from '../support/patience.ts'

test(
  'every small mistake in the money code fails a quick test',
  async () => {
    const { killed, survived } = await runMutants(() => undefined)
    expect(survived).toEqual([])
    expect(killed.length).toBeGreaterThanOrEqual(10)
  },
  patience(600_000),
)
