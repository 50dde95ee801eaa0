import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'

const linesMax = 400

export function checkFileLength(file: SourceFile): Finding[] {
  const lines = file.text.replace(/\n$/, '').split('\n').length
  if (lines <= linesMax) return []
  const message =
    `the file has ${lines} lines, and ${linesMax} are allowed: a file holds one thing that can be ` +
    'read in one go. Split it by rule, each part named after its export.'
  return [{ path: file.path, line: linesMax + 1, rule: 'file-length', message }]
}
