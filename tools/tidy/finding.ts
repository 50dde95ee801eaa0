import type { SourceFile } from './source-file.ts'

export type Finding = {
  readonly path: string
  readonly line: number
  readonly rule: string
  /** One text: the problem, why it matters, and what to do instead. */
  readonly message: string
}

export type Rule = (file: SourceFile) => Finding[]
