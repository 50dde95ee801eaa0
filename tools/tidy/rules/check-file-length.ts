import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'

const linesMax = 400

export function checkFileLength(file: SourceFile): Finding[] {
  const lines = file.text.replace(/\n$/, '').split('\n').length
  if (lines <= linesMax) return []
  const message =
    `the file has ${lines} lines, and ${linesMax} are allowed, so that a file can be ` +
    'read in one go. Split the file by rule, and name each part after its export.'
  return [{ path: file.path, line: linesMax + 1, rule: 'file-length', message }]
}
