import { existsSync } from 'node:fs'
import { journalPath } from '../../app/node/make-journal-folder.ts'
import type { Config } from '../../config/config.ts'
import { countLeftovers } from '../../ledger/journal/leftovers.ts'
import { describeLeftovers } from '../describe-leftovers.ts'
import { type DoctorFinding, fail, ok } from './finding.ts'

const topic = 'journal'

/** Records in the journal folder that no start of the gateway will finish. */
export function checkJournal(config: Pick<Config, 'data'>): DoctorFinding[] {
  const folder = journalPath(config)
  if (!existsSync(folder)) return []
  const sentences = describeLeftovers(countLeftovers(folder))
  if (sentences.length === 0) return [ok(topic, 'no rejected records, no damaged lines')]
  return sentences.map((sentence) => fail(topic, sentence))
}
