import type { LateWords } from './en-late.ts'
import { fieldWords } from './zh/fields.ts'
import { findingWords } from './zh/findings.ts'
import { refusalWords } from './zh/refusals.ts'

export const zhLate: LateWords = { ...fieldWords, ...findingWords, ...refusalWords }
