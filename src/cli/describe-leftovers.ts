import type { Leftovers } from '../ledger/journal/leftovers.ts'

/** What waits in the journal folder for a person, and what to do about it; a sentence each. */
export function describeLeftovers({ refusedRecords, damagedLines }: Leftovers): string[] {
  const sentences: string[] = []
  if (refusedRecords > 0) {
    sentences.push(
      `The database has refused ${refusedRecords} records because of what is in them; they are in refused.log of the journal folder. Run "tollgate ledger replay" when the cause is gone.`,
    )
  }
  if (damagedLines > 0) {
    sentences.push(
      `${damagedLines} lines of journals cannot be read, so requests in them may not be charged, or only for their input; the journals are kept in the journal folder, with names that begin with "damaged-". Move them away once you have looked at them.`,
    )
  }
  return sentences
}
