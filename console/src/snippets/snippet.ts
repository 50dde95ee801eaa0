export interface SnippetContext {
  /** The gateway's address without a path. */
  readonly root: string
  /** The key itself, or a variable that stands for it. */
  readonly key: string
  readonly model: string
}

export interface SnippetPart {
  /** The file it goes into; absent for the terminal. */
  readonly file?: string
  readonly text: string
}

export interface Snippet {
  readonly id: string
  readonly label: string
  readonly group: 'curl' | 'sdk' | 'agent'
  readonly parts: (context: SnippetContext) => readonly SnippetPart[]
}

export const lines = (...texts: readonly string[]) => texts.join('\n')

const isVariable = (key: string) => key.startsWith('$')

/** The key in a program: as it is, or read from where the reader has put it. */
export const inTypeScript = (key: string) =>
  isVariable(key) ? `process.env.${key.slice(1)}` : `'${key}'`

export const inPython = (key: string) =>
  isVariable(key) ? `os.environ["${key.slice(1)}"]` : `"${key}"`

export const pythonImports = (key: string) => (isVariable(key) ? ['import os', ''] : [])

/** The key in a file of settings, which knows no variables. */
export const inFile = (key: string) => (isVariable(key) ? 'sk-…' : key)

/** A variable that the reader has set already needs no line. */
export const exportOf = (key: string) => (isVariable(key) ? [] : [`export TOLLGATE_KEY=${key}`])
