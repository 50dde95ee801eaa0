import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { vendors } from '../../../src/vendors/index.ts'
import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import { everyNode, nameOf, type SyntaxNode } from '../syntax-node.ts'

/** These folders define the protocols of the program, of each vendor, and of the demo. */
const free = ['src/core/', 'src/vendors/', 'src/demo/']

const names: readonly string[] = protocolNames
/** The other names are also names of fields, so they count only where a value is compared with them. */
const unmistakable = names.filter((name) => name.includes('-'))
const vendorNames = [...vendors.keys()]

/** Code that depends on the protocol or the vendor must ask their modules. */
export function checkProtocolNames(file: SourceFile): Finding[] {
  const isSource = /^(?:console\/)?src\//.test(file.path)
  if (!isSource || free.some((place) => file.path.startsWith(place))) return []
  return [...findProtocols(file), ...findVendors(file)]
}

function findProtocols(file: SourceFile): Finding[] {
  const message =
    'the code compares the name of a protocol, so a new protocol would need a change here too. ' +
    'Declare the difference in Protocol (src/protocols/protocol.ts) and use that.'
  return findingsOf(file, message, (node) => isSuspect(node, file))
}

/** The protocols have no vendor's name; the words there are values of their own fields. */
function findVendors(file: SourceFile): Finding[] {
  if (file.path.startsWith('src/protocols/')) return []
  const message =
    'the code compares the name of a vendor, so a new vendor would need a change here too. ' +
    'Declare the difference in Vendor (src/vendors/vendor.ts) and use that.'
  return findingsOf(file, message, (node) => comparesWith(node, vendorNames))
}

function findingsOf(
  file: SourceFile,
  message: string,
  isFound: (node: SyntaxNode) => boolean,
): Finding[] {
  const lines = everyNode(file.program)
    .filter(isFound)
    .map(({ start }) => file.lineAt(start))
  return [...new Set(lines)].map((line) => ({
    path: file.path,
    line,
    rule: 'protocol-names',
    message,
  }))
}

/**
 * A protocol may compare its own name: parts and tools of the neutral form name the protocol that they belong to. In
 * the console, a record of all protocols may have them as keys, because the compiler finds a missing one.
 */
function isSuspect(node: SyntaxNode, { path, program }: SourceFile): boolean {
  if (path.startsWith('src/protocols/')) {
    const [, , folder = ''] = path.split('/')
    return comparesWith(
      node,
      names.filter((name) => name !== folder),
    )
  }
  if (comparesWith(node, names)) return true
  if (!isLiteralOf(node, unmistakable)) return false
  return path.startsWith('src/') || !keysIn(program).has(node)
}

function keysIn(program: SyntaxNode): ReadonlySet<unknown> {
  return new Set(everyNode(program).flatMap(({ type, key }) => (type === 'Property' ? [key] : [])))
}

function comparesWith({ type, ...node }: SyntaxNode, words: readonly string[]): boolean {
  if (type === 'SwitchCase') return isLiteralOf(node['test'], words)
  const isComparison = type === 'BinaryExpression' && /^[!=]==?$/.test(String(node['operator']))
  return isComparison && [node['left'], node['right']].some((side) => isLiteralOf(side, words))
}

function isLiteralOf(node: unknown, words: readonly string[]): boolean {
  const isLiteral = typeof node === 'object' && node !== null && 'value' in node
  return isLiteral && words.includes(nameOf(node) ?? '')
}
