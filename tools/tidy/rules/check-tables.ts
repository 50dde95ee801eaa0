import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import { everyNode, isSyntaxNode, nameOf, type SyntaxNode } from '../syntax-node.ts'
import { tableOwners } from '../table-owners.ts'

const writers = new Set(['insertInto', 'replaceInto', 'updateTable', 'deleteFrom', 'mergeInto'])
const migration = /^src\/store\/migrations\/\d{4}-[\w-]+\.ts$/
const statement =
  /\b(?:insert\s+(?:or\s+\w+\s+)?into|update|delete\s+from|merge\s+into)\s+"?([a-z_]+)/gi

/** Only the module that owns a table writes to it, so that the rules of a table are in one place. */
export function checkTables(file: SourceFile): Finding[] {
  const module = /^src\/([\w-]+)\//.exec(file.path)?.[1]
  // A migration creates the tables before any module owns them.
  if (module === undefined || migration.test(file.path)) return []
  return everyNode(file.program).flatMap((node) =>
    tablesWrittenBy(node).flatMap((table) => {
      const owners = tableOwners[table]
      if (owners?.includes(module)) return []
      const message =
        owners === undefined
          ? `“${table}” has no owner. Add the module that owns it to tools/tidy/table-owners.ts.`
          : `src/${module}/ writes to “${table}”, which belongs to ${owners.join(' and ')}. Call a function of the owner.`
      return [{ path: file.path, line: file.lineAt(node.start), rule: 'tables', message }]
    }),
  )
}

function tablesWrittenBy(node: SyntaxNode): string[] {
  if (node.type === 'CallExpression') return calledTables(node)
  if (node.type === 'TemplateElement') return statedTables(textOf(node['value']))
  if (node.type === 'Literal') return statedTables(nameOf(node) ?? '')
  return []
}

function calledTables(node: SyntaxNode): string[] {
  const callee = node['callee']
  if (!isSyntaxNode(callee) || !writers.has(nameOf(callee['property']) ?? '')) return []
  const given: unknown = node['arguments']
  const first: unknown = Array.isArray(given) ? given[0] : undefined
  const table = isSyntaxNode(first) && first.type === 'Literal' ? nameOf(first) : undefined
  return table === undefined ? [] : [table.split(' ')[0] ?? table]
}

/** Tables in a literal SQL statement. A sentence that begins with “update” names no known table. */
function statedTables(text: string): string[] {
  return [...text.matchAll(statement)]
    .map(([, table = '']) => table)
    .filter((table) => table in tableOwners)
}

function textOf(value: unknown): string {
  const raw = typeof value === 'object' && value !== null && 'raw' in value ? value.raw : ''
  return typeof raw === 'string' ? raw : ''
}
