import { afterAll, describe, test } from 'bun:test'
import type { Case } from './assertions/assertion.ts'
import { seed } from './pipeline/random-cuts.ts'
import { readRecordings } from './recordings/read-recordings.ts'
import type { Recording } from './recordings/recording.ts'
import { Judge } from './report/judge.ts'
import { printTally, tally } from './report/tally.ts'

/** One test for each case of the recordings. */
export function describeCases(
  name: string,
  listCases: (recordings: readonly Recording[]) => readonly Case[],
): void {
  const recordings = readRecordings()
  describe(`conformance with recorded exchanges: ${name}`, () => {
    for (const { name, run } of listCases(recordings)) {
      test(name, async () => {
        const judge = new Judge()
        await run(judge)
        judge.verdict()
      })
    }

    afterAll(() => {
      tally('recordings', recordings.length)
      tally('seed of the cuts', seed)
      printTally()
    })
  })
}
