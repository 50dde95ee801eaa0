import { fieldWords } from './en/fields.ts'
import { findingWords } from './en/findings.ts'
import { refusalWords } from './en/refusals.ts'

/** Texts that most visits do not need: they are fetched with the first refusal, and for the pages of operators. */
export const enLate = { ...fieldWords, ...findingWords, ...refusalWords }

export type LateWords = Readonly<Record<keyof typeof enLate, string>>
