import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import { everyNode, memberPath } from '../syntax-node.ts'

export function checkJsonParse(file: SourceFile): Finding[] {
  if (!file.path.startsWith('src/') || file.path.startsWith('src/wire/')) return []
  const message =
    'JSON.parse has no bound on depth or size and returns any. Use the JSON reader of src/wire.'
  return everyNode(file.program)
    .filter((node) => memberPath(node)?.join('.') === 'JSON.parse')
    .map(({ start }) => ({
      path: file.path,
      line: file.lineAt(start),
      rule: 'json-parse',
      message,
    }))
}
