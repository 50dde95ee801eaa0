import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import type { SyntaxNode } from '../syntax-node.ts'
import { everyNode, isSyntaxNode, memberPath, nameOf } from '../syntax-node.ts'

const owners = new Set(['process', 'Bun', 'import.meta'])
const processModules = new Set(['process', 'node:process'])

/** Only src/config.ts reads the environment, so that one page lists every setting. */
export function checkEnvironment(file: SourceFile): Finding[] {
  if (!file.path.startsWith('src/') || file.path === 'src/config.ts') return []
  const message =
    'the environment is read here, but only src/config.ts may read it: settings are defined and ' +
    'validated in one place. Add the setting there and pass its value in.'
  return everyNode(file.program)
    .filter(readsEnvironment)
    .map(({ start }) => ({
      path: file.path,
      line: file.lineAt(start),
      rule: 'environment',
      message,
    }))
}

function readsEnvironment(node: SyntaxNode): boolean {
  if (node.type === 'ImportDeclaration') {
    return processModules.has(nameOf(node['source']) ?? '') && takesName(node['specifiers'])
  }
  if (node.type === 'VariableDeclarator') {
    const taken = isSyntaxNode(node['id']) ? node['id']['properties'] : undefined
    return owners.has(nameOf(node['init']) ?? '') && takesName(taken)
  }
  const [owner, member] = memberPath(node) ?? []
  return owner !== undefined && owners.has(owner) && member === 'env'
}

function takesName(parts: unknown): boolean {
  if (!Array.isArray(parts)) return false
  return parts.some(
    (part) => isSyntaxNode(part) && nameOf(part['imported'] ?? part['key']) === 'env',
  )
}
