import type { Notes } from '../../notes.ts'
import type { CacheMarks } from '../values/cache-marks.ts'

/** The context for writing the parts of a conversation. */
export interface PartContext {
  readonly issuer: string
  readonly marks: CacheMarks
  readonly notes: Notes
  /** Whether the answer is to cite passages of the documents. */
  readonly citesDocuments: boolean
}
