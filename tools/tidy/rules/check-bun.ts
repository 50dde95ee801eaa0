import type { Finding } from '../finding.ts'
import { listImports } from '../list-imports.ts'
import type { SourceFile } from '../source-file.ts'
import { everyNode, memberPath } from '../syntax-node.ts'

const allowed = ['src/http-in/', 'src/store/', 'src/http-out/', 'test/', 'bench/']

/** Only a few folders use Bun's API; the rest is web-standard TypeScript. */
export function checkBun(file: SourceFile): Finding[] {
  if (allowed.some((place) => file.path.startsWith(place))) return []
  const importLines = listImports(file)
    .filter(({ specifier }) => specifier === 'bun' || specifier.startsWith('bun:'))
    .map(({ line }) => line)
  const useLines = everyNode(file.program)
    .filter((node) => {
      const [owner, member] = memberPath(node) ?? []
      return owner === 'Bun' || (owner === 'globalThis' && member === 'Bun')
    })
    .map(({ start }) => file.lineAt(start))
  const message =
    `Bun's own API is used outside ${allowed.slice(0, 3).join(', ')}. The rest is plain ` +
    'TypeScript that any runtime can run. Use a web or node: equivalent, or pass the function in.'
  return [...new Set([...importLines, ...useLines])].map((line) => ({
    path: file.path,
    line,
    rule: 'bun',
    message,
  }))
}
