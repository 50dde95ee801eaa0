import { parseSync } from 'oxc-parser'
import type { SyntaxNode } from './syntax-node.ts'
import { isSyntaxNode } from './syntax-node.ts'

export interface ProjectFile {
  /** From the project's root, with forward slashes. */
  readonly path: string
  readonly text: string
}

export type SourceFile = {
  /** Relative to the project's root, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly program: SyntaxNode
  readonly syntaxErrors: readonly string[]
  readonly comments: readonly { readonly start: number; readonly end: number }[]
  lineAt(offset: number): number
}

export function parseSourceFile(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text)
  const program: unknown = parsed.program
  if (!isSyntaxNode(program)) throw new Error(`${path}: the parser returned no program`)
  return {
    path,
    text,
    program,
    comments: parsed.comments.map(({ start, end }) => ({ start, end })),
    syntaxErrors: parsed.errors.map((error) => error.message),
    lineAt: (offset) => text.slice(0, offset).split('\n').length,
  }
}
