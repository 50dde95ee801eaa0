import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import { isSyntaxNode, type SyntaxNode } from '../syntax-node.ts'

const typeKinds = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'ClassDeclaration',
  'TSEnumDeclaration',
])

/** Two exported types with the same name lead a reader, and an editor's import, to the wrong one. */
export function checkTypeNames(sources: ReadonlyMap<string, SourceFile>): Finding[] {
  const first = new Map<string, string>()
  const findings: Finding[] = []
  for (const [path, file] of [...sources].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (!path.startsWith('src/') && !path.startsWith('console/src/')) continue
    for (const { name, start } of exportedTypes(file.program)) {
      const other = first.get(name)
      if (other === undefined || other === path) {
        first.set(name, path)
        continue
      }
      const message = `${other} also exports a type ${name}. Rename one of them, or share one type.`
      findings.push({ path, line: file.lineAt(start), rule: 'type-names', message })
    }
  }
  return findings
}

function exportedTypes(program: SyntaxNode): { readonly name: string; readonly start: number }[] {
  const body = Array.isArray(program['body']) ? program['body'].filter(isSyntaxNode) : []
  return body.flatMap(({ type, declaration }) => {
    if (type !== 'ExportNamedDeclaration' || !isSyntaxNode(declaration)) return []
    const { id } = declaration
    if (!typeKinds.has(declaration.type) || !isSyntaxNode(id)) return []
    return typeof id['name'] === 'string' ? [{ name: id['name'], start: declaration.start }] : []
  })
}
