import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import { everyNode, nameOf } from '../syntax-node.ts'

export function checkDefaultExport(file: SourceFile): Finding[] {
  if (!file.path.startsWith('src/')) return []
  const message =
    'a default export has a different name in every file that imports it, so it cannot be searched ' +
    'for. Export it by name.'
  return everyNode(file.program)
    .filter(
      (node) =>
        node.type === 'ExportDefaultDeclaration' ||
        (node.type === 'ExportSpecifier' && nameOf(node['exported']) === 'default'),
    )
    .map(({ start }) => ({
      path: file.path,
      line: file.lineAt(start),
      rule: 'default-export',
      message,
    }))
}
