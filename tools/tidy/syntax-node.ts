export type SyntaxNode = {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

export function isSyntaxNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    'start' in value &&
    typeof value.start === 'number'
  )
}

const listed = new WeakMap<SyntaxNode, readonly SyntaxNode[]>()

/** The node and all its descendants, parents first; computed once for all rules. */
export function everyNode(node: SyntaxNode): readonly SyntaxNode[] {
  const known = listed.get(node)
  if (known) return known
  const nodes: SyntaxNode[] = []
  addNodes(node, nodes)
  listed.set(node, nodes)
  return nodes
}

function addNodes(node: SyntaxNode, nodes: SyntaxNode[]): void {
  nodes.push(node)
  for (const name in node) {
    const field = node[name]
    if (typeof field !== 'object' || field === null) continue
    if (!Array.isArray(field)) {
      if (isSyntaxNode(field)) addNodes(field, nodes)
      continue
    }
    for (const child of field) if (isSyntaxNode(child)) addNodes(child, nodes)
  }
}

/** The name of an identifier or the text of a string literal; undefined for any other node. */
export function nameOf(value: unknown): string | undefined {
  if (!isSyntaxNode(value)) return undefined
  const { type, name, value: text } = value
  if (type === 'Identifier' && typeof name === 'string') return name
  if (type === 'Literal' && typeof text === 'string') return text
  return undefined
}

/** `['process', 'env']` for `process.env`, `process['env']` and the type `process.env`. */
export function memberPath(node: SyntaxNode): readonly [string, string] | undefined {
  const [owner, member] =
    node.type === 'TSQualifiedName'
      ? [node['left'], node['right']]
      : [node['object'], node['property']]
  const isMember = node.type === 'MemberExpression' || node.type === 'TSQualifiedName'
  const memberName = nameOf(member)
  if (!isMember || memberName === undefined) return undefined
  if (isImportMeta(owner)) return ['import.meta', memberName]
  const ownerName = nameOf(owner)
  return ownerName === undefined ? undefined : [ownerName, memberName]
}

export function isImportMeta(value: unknown): boolean {
  return (
    isSyntaxNode(value) &&
    value.type === 'MetaProperty' &&
    nameOf(value['meta']) === 'import' &&
    nameOf(value['property']) === 'meta'
  )
}
