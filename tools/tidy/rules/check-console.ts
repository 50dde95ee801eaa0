import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import { everyNode, memberPath } from '../syntax-node.ts'

export function checkConsole(file: SourceFile): Finding[] {
  if (!file.path.startsWith('src/')) return []
  const message =
    'console.* bypasses the structured log and its redaction. Use the log that is passed in, or, ' +
    'in a command, the writer that is passed in.'
  return everyNode(file.program)
    .filter((node) => memberPath(node)?.[0] === 'console')
    .map(({ start }) => ({ path: file.path, line: file.lineAt(start), rule: 'console', message }))
}
