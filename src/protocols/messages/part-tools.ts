import type { Notes } from '../notes.ts'
import type { CacheMarks } from './cache-marks.ts'

/** What the parts of a conversation are written with. */
export interface PartTools {
  readonly issuer: string
  readonly marks: CacheMarks
  readonly notes: Notes
  /** Whether the answer is to say which passages of the documents it rests on. */
  readonly citesDocuments: boolean
}
