import type { Leftovers } from '../ledger/journal/leftovers.ts'

/** The records in the journal folder that need a person, and what to do about them; one sentence each. */
export function describeLeftovers({ refusedRecords, damagedLines }: Leftovers): string[] {
  const sentences: string[] = []
  if (refusedRecords > 0) {
    sentences.push(
      `Records that the database has rejected because of their values: ${refusedRecords}. See refused.log of the journal folder. Remove the cause, then run "tollgate ledger replay".`,
    )
  }
  if (damagedLines > 0) {
    sentences.push(
      `Journal lines that cannot be read: ${damagedLines}. Their requests may not be charged, or only for their input. The journals are kept in the journal folder; their names begin with "damaged-". Inspect them, then move them away.`,
    )
  }
  return sentences
}
