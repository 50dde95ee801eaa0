import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..', '..')
const folder = join(root, 'docs', 'operations')

export interface Block {
  readonly page: string
  readonly language: string
  readonly text: string
}

/** The code blocks of all pages, also those in lists. */
export function operationBlocks(): Block[] {
  return pages().flatMap(([page, text]) =>
    [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].map(
      ([, indent = '', language = '', body = '']) => ({
        page,
        language,
        text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      }),
    ),
  )
}

/** The command lines of the blocks, and the commands of this program and of SQLite in the text, each once. */
export function operationCommands(): string[] {
  const shells = new Set(['', 'bash', 'sh'])
  const lines = operationBlocks()
    .filter(({ language }) => shells.has(language))
    .flatMap(({ text }) =>
      text
        .replaceAll(/ \\\n +/g, ' ')
        .trim()
        .split('\n'),
    )
  const inText = pages().flatMap(([, text]) =>
    [...text.matchAll(/`((?:tollgate|sqlite3) [^`]+)`/g)].map(([, command = '']) => command),
  )
  return [...new Set([...lines, ...inText])].sort()
}

function pages(): [page: string, text: string][] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'))
  return names.map((name) => [name, readFileSync(join(folder, name), 'utf8')])
}
