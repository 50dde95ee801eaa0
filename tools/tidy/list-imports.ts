import type { SourceFile } from './source-file.ts'
import type { SyntaxNode } from './syntax-node.ts'
import { everyNode, isImportMeta, isSyntaxNode, memberPath, nameOf } from './syntax-node.ts'

export type ImportUse = {
  readonly specifier: string
  readonly line: number
  /** The imported names, or undefined for the whole module. */
  readonly names: readonly string[] | undefined
}

/**
 * Every way in which one module refers to another: import and export declarations (types included), `import()` as an
 * expression and as a type, and `new URL('./worker.ts', import.meta.url)`.
 */
export function listImports(file: SourceFile): readonly ImportUse[] {
  const uses = listed.get(file) ?? findImports(file)
  listed.set(file, uses)
  return uses
}

/** Several rules need the imports of the same file. */
const listed = new WeakMap<SourceFile, readonly ImportUse[]>()

function findImports(file: SourceFile): ImportUse[] {
  const uses: ImportUse[] = []
  for (const node of everyNode(file.program)) {
    const specifier = specifierOf(node)
    if (specifier !== undefined) {
      uses.push({ specifier, line: file.lineAt(node.start), names: namesOf(node) })
    }
  }
  return uses
}

function specifierOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return nameOf(node['source'])
    case 'NewExpression':
      return relativeUrl(node)
    default:
      return undefined
  }
}

function relativeUrl(node: SyntaxNode): string | undefined {
  const given: unknown = node['arguments']
  const parts: readonly unknown[] = Array.isArray(given) ? given : []
  const [target, base] = parts
  if (nameOf(node['callee']) !== 'URL' || !isSyntaxNode(base)) return undefined
  if (!isImportMeta(base['object']) || memberPath(base)?.[1] !== 'url') return undefined
  const specifier = nameOf(target)
  return specifier?.startsWith('.') ? specifier : undefined
}

function namesOf(node: SyntaxNode): readonly string[] | undefined {
  if (!Array.isArray(node['specifiers'])) return undefined
  const names = node['specifiers'].map((each) =>
    isSyntaxNode(each) ? nameOf(each['imported']) : undefined,
  )
  return names.every((name) => name !== undefined) ? names : undefined
}
