import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import { everyNode, nameOf, type SyntaxNode } from '../syntax-node.ts'

/** These folders define the protocols, the protocols of each vendor, and the demo. */
const allowed = ['src/core/', 'src/protocols/', 'src/vendors/', 'src/demo/']

const names: readonly string[] = protocolNames
/** The other names are also names of fields, so they count only where a value is compared with them. */
const unmistakable = names.filter((name) => name.includes('-'))

/** Code that depends on the protocol must ask the protocol module. */
export function checkProtocolNames(file: SourceFile): Finding[] {
  const isFree = allowed.some((place) => file.path.startsWith(place))
  if (isFree || !file.path.startsWith('src/')) return []
  const message =
    'the code compares the name of a protocol, so a new protocol would need a change here too. ' +
    'Declare the difference in Protocol (src/protocols/protocol.ts) and use that.'
  const lines = everyNode(file.program)
    .filter((node) => isLiteralOf(node, unmistakable) || comparesWithName(node))
    .map(({ start }) => file.lineAt(start))
  return [...new Set(lines)].map((line) => ({
    path: file.path,
    line,
    rule: 'protocol-names',
    message,
  }))
}

function comparesWithName({ type, ...node }: SyntaxNode): boolean {
  if (type === 'SwitchCase') return isLiteralOf(node['test'], names)
  const isComparison = type === 'BinaryExpression' && /^[!=]==?$/.test(String(node['operator']))
  return isComparison && [node['left'], node['right']].some((side) => isLiteralOf(side, names))
}

function isLiteralOf(node: unknown, words: readonly string[]): boolean {
  const isLiteral = typeof node === 'object' && node !== null && 'value' in node
  return isLiteral && words.includes(nameOf(node) ?? '')
}
