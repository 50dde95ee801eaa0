export interface SnippetContext {
  /** The gateway's URL without a path. */
  readonly root: string
  /** The key, or a variable in its place. */
  readonly key: string
  readonly model: string
}

export interface SnippetPart {
  /** The file name; absent for a terminal. */
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

/** The key as an expression: a literal, or read from the environment. */
export const inTypeScript = (key: string) =>
  isVariable(key) ? `process.env.${key.slice(1)}` : `'${key}'`

export const inPython = (key: string) =>
  isVariable(key) ? `os.environ["${key.slice(1)}"]` : `"${key}"`

export const pythonImports = (key: string) => (isVariable(key) ? ['import os', ''] : [])

/** The key in a configuration file, which cannot use variables. */
export const inFile = (key: string) => (isVariable(key) ? 'sk-…' : key)

/** A variable needs no export line. */
export const exportOf = (key: string) => (isVariable(key) ? [] : [`export TOLLGATE_KEY=${key}`])
