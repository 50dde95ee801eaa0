import type { Finding } from '../finding.ts'
import { importTable } from '../import-table.ts'
import type { SourceFile } from '../source-file.ts'
import { isSyntaxNode, nameOf, type SyntaxNode } from '../syntax-node.ts'

const place = /^src\/protocols\/([^/]+)\/(.+)$/

/**
 * Each protocol has a folder, and the folders have the same jobs: decode a request, encode usage. A reader who knows one
 * folder finds the job in the others, so an export that two of them have is in the same inner folder and in a file of
 * the same name in both.
 */
export function checkJobNames(sources: ReadonlyMap<string, SourceFile>): Finding[] {
  const first = new Map<string, { readonly path: string; readonly inside: string }>()
  const findings: Finding[] = []
  for (const [path, file] of [...sources].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [, folder = '', inside] = place.exec(path) ?? []
    if (inside === undefined || importTable['protocols']?.sharedFolders?.includes(folder)) continue
    for (const { name, start } of exportsOf(file.program)) {
      const other = first.get(name)
      if (other === undefined) first.set(name, { path, inside })
      else if (other.inside !== inside) {
        const message =
          `${name} is also exported by ${other.path}. The same job has the same place in every protocol. ` +
          'Move one of the two, or rename the export if its job is another one.'
        findings.push({ path, line: file.lineAt(start), rule: 'job-names', message })
      }
    }
  }
  return findings
}

function exportsOf(program: SyntaxNode): { readonly name: string; readonly start: number }[] {
  const body = Array.isArray(program['body']) ? program['body'].filter(isSyntaxNode) : []
  return body.flatMap(({ type, declaration, start }) => {
    if (type !== 'ExportNamedDeclaration' || !isSyntaxNode(declaration)) return []
    const declared: readonly unknown[] = Array.isArray(declaration['declarations'])
      ? declaration['declarations']
      : [declaration]
    return declared.flatMap((each) => {
      const name = isSyntaxNode(each) ? nameOf(each['id']) : undefined
      return name === undefined ? [] : [{ name, start }]
    })
  })
}
