import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'

const emptyWords = new Set(
  ['util', 'utils', 'helper', 'helpers', 'misc', 'common'].concat([
    'handle',
    'handler',
    'process',
    'transform',
    'convert',
    'converter',
    'manager',
  ]),
)

export function checkFileName(file: SourceFile): Finding[] {
  if (!file.path.startsWith('src/')) return []
  const words = file.path
    .slice('src/'.length)
    .replace(/\.\w+$/, '')
    .split(/[/-]/)
  const word = words.find((candidate) => emptyWords.has(candidate))
  if (word === undefined) return []
  const message =
    `the name contains “${word}”, which says nothing about the content. ` +
    'Name the file after its one export, and the export after what it does.'
  return [{ path: file.path, line: 1, rule: 'file-name', message }]
}
