import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import { everyNode, isSyntaxNode, nameOf, type SyntaxNode } from '../syntax-node.ts'
import { foreignColumns } from '../table-owners.ts'

/** A change of a table: its columns, or undefined if it is another change than of named columns. */
interface Change {
  readonly table: string
  readonly columns: readonly string[] | undefined
}

/** A module that may change some columns of another module's table changes only these, and makes or deletes no row. */
export function checkMoneyColumns(file: SourceFile): Finding[] {
  const module = /^src\/([\w-]+)\//.exec(file.path)?.[1] ?? ''
  const allowed = foreignColumns[module]
  if (allowed === undefined) return []
  return everyNode(file.program).flatMap((node) =>
    changesOf(node).flatMap(({ table, columns }) => {
      const own = allowed[table]
      if (own === undefined || columns?.every((column) => own.includes(column))) return []
      const message = `src/${module}/ may only change ${own.join(' and ')} of “${table}”, by name. Call a function of the owner.`
      return [{ path: file.path, line: file.lineAt(node.start), rule: 'tables', message }]
    }),
  )
}

function changesOf(node: SyntaxNode): Change[] {
  if (node.type === 'CallExpression') return calledChanges(node)
  if (node.type === 'Literal') return statedChanges(nameOf(node) ?? '')
  return node.type === 'TemplateLiteral' ? statedChanges(textOf(node)) : []
}

const rowMakers = new Set(['insertInto', 'replaceInto', 'deleteFrom', 'mergeInto'])

/** `updateTable('account').set({ … })`, and calls that make or delete rows. */
function calledChanges({ callee, arguments: given }: SyntaxNode): Change[] {
  if (!isSyntaxNode(callee)) return []
  const name = nameOf(callee['property']) ?? ''
  const [first] = nodesOf(given)
  if (rowMakers.has(name)) return [{ table: nameOf(first) ?? '', columns: undefined }]
  const before = callee['object']
  if (name !== 'set' || !isSyntaxNode(before) || before.type !== 'CallExpression') return []
  const opener = before['callee']
  if (!isSyntaxNode(opener) || nameOf(opener['property']) !== 'updateTable') return []
  const [table] = nodesOf(before['arguments'])
  return [{ table: nameOf(table) ?? '', columns: first && namesIn(first) }]
}

/** The names of an object, or of the object that a function returns. */
function namesIn(node: SyntaxNode): string[] | undefined {
  const inner = node.type === 'ArrowFunctionExpression' ? node['body'] : node['expression']
  if (isSyntaxNode(inner)) return namesIn(inner)
  if (node.type !== 'ObjectExpression') return undefined
  const names = nodesOf(node['properties']).map((each) => nameOf(each['key']))
  return names.some((name) => name === undefined) ? undefined : names.map(String)
}

const update = /\bUPDATE\s+(\w+)\s+SET\s+(.*)$/s
const other = /\b(?:INSERT\s+INTO|REPLACE\s+INTO|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE)\s+(\w+)/g

function statedChanges(sql: string): Change[] {
  const [, table = '', rest = ''] = update.exec(sql) ?? []
  const changed = table === '' ? [] : [{ table, columns: assignedIn(rest) }]
  const rows = [...sql.matchAll(other)].map(([, each = '']) => ({
    table: each,
    columns: undefined,
  }))
  return [...changed, ...rows]
}

/** The columns before each `=` of `a = 1, b = (SELECT …) WHERE …`. */
function assignedIn(assignments: string): string[] {
  let text = assignments
  for (let former = ''; former !== text; ) {
    former = text
    text = text.replace(/\([^()]*\)/g, '')
  }
  const [listed = ''] = text.split(/\b(?:WHERE|FROM|RETURNING)\b/)
  return listed.split(',').map((each) => /^\s*(\w+)\s*=/.exec(each)?.[1] ?? each)
}

function textOf(node: SyntaxNode): string {
  const texts = nodesOf(node['quasis']).map(({ value }) =>
    typeof value === 'object' && value !== null && 'raw' in value ? String(value.raw) : '',
  )
  return texts.join('?')
}

function nodesOf(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isSyntaxNode) : []
}
