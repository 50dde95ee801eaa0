import { expect, test } from 'bun:test'
import { chooseQuickMutants, listMutants } from '../../tools/mutants/list-mutants.mjs'
import { proofs } from '../../tools/mutants/proofs.mjs'
import { runMutants } from '../../tools/mutants/run-mutants.mjs'
import { patience } from '../support/patience.ts'
import { repeats } from '../support/repeats.ts'

/** `npm run test:long` runs them all. */
const isQuick = repeats(1) === 1

test(
  'every small mistake in the money code fails a quick test',
  async () => {
    const { killed, survived } = await runMutants(() => undefined, { isQuick })
    expect(survived).toEqual([])
    const chosen = isQuick ? chooseQuickMutants(listMutants()) : listMutants()
    expect(killed).toEqual(chosen.map(({ name }) => name))
  },
  patience(600_000),
)

test('the quick choice has a mistake in every file and for every proof', () => {
  const chosen = chooseQuickMutants(listMutants())
  const filesOf = (mutants: typeof chosen) => [...new Set(mutants.map(({ file }) => file))]
  expect(filesOf(chosen)).toEqual(filesOf(listMutants()))
  expect(new Set<string>(chosen.map(({ proof }) => proof))).toEqual(new Set(Object.keys(proofs)))
  expect(chosen.length).toBeGreaterThanOrEqual(20)
})
