import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')

export function readDocument(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The text below a heading, up to the next heading of any level. */
export function sectionOf(document: string, heading: string): string {
  const lines = document.split('\n')
  const start = lines.indexOf(heading)
  if (start < 0) throw new Error(`There is no heading "${heading}".`)
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^#+ /.test(line))
  return (end < 0 ? rest : rest.slice(0, end)).join('\n')
}

/** The cells of every table row whose first cell is written as code, by that cell, without its backticks. */
export function tableRows(text: string): Map<string, string[]> {
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  return new Map(
    rows.map((line) => {
      const cells = line.split('|').map((cell) => cell.trim())
      const [name = '', ...others] = cells.slice(1, -1)
      return [name.replaceAll('`', ''), others]
    }),
  )
}
