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

/** The node and all nodes below it, parents first. */
export function* everyNode(node: SyntaxNode): Generator<SyntaxNode> {
  yield node
  for (const field of Object.values(node)) {
    for (const child of Array.isArray(field) ? field : [field]) {
      if (isSyntaxNode(child)) yield* everyNode(child)
    }
  }
}

/** The name of an identifier, the text of a string literal, and nothing for any other node. */
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
