import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import { everyNode, isSyntaxNode, nameOf, type SyntaxNode } from '../syntax-node.ts'
import { foreignColumns, tableOwners, variableTables } from '../table-owners.ts'

const writers = new Set(['insertInto', 'replaceInto', 'updateTable', 'deleteFrom', 'mergeInto'])
const migration = /^src\/store\/migrations\/\d{4}-[\w-]+\.ts$/
const gap = String.raw`(?:\s|--[^\n]*\n|/\*.*?\*/)+`
const verbs = [
  `insert${gap}(?:or${gap}\\w+${gap})?into`,
  `replace${gap}into`,
  `update(?:${gap}or${gap}\\w+)?`,
  `delete${gap}from`,
  `merge${gap}into`,
  `truncate(?:${gap}table)?`,
].join('|')
const quote = '["`[]?'
const start = `\\b(?:${verbs})${gap}(?:only${gap})?${quote}(?:\\w+["\`\\]]?\\.${quote})?`
const statement = new RegExp(`${start}([a-z_]\\w*)`, 'gis')
/** In capital letters, as in SQL and unlike in a sentence. */
const surely = /^(?:INSERT|REPLACE|UPDATE|DELETE|MERGE|TRUNCATE)\b/
const unfinished = new RegExp(`(?:${start})$`, 'is')
const goesOn = /^["`\]]?\s+(?:as\s+\w+\s+)?set\b/i

/** A table that a node writes to; undefined: the source does not say which. */
type Written = string | undefined

/** Only the module that owns a table writes to it, so that the rules of a table are in one place. */
export function checkTables(file: SourceFile): Finding[] {
  const module = /^src\/([\w-]+)\//.exec(file.path)?.[1]
  // A migration creates the tables before any module owns them.
  if (module === undefined || migration.test(file.path)) return []
  return everyNode(file.program).flatMap((node) =>
    tablesWrittenBy(node)
      .flatMap((table) => (table === undefined ? variableTablesOf(file.path, module) : [table]))
      .flatMap((table) => {
        const message = problemOf(table, module)
        if (message === undefined) return []
        return [{ path: file.path, line: file.lineAt(node.start), rule: 'tables', message }]
      }),
  )
}

function problemOf(table: Written, module: string): string | undefined {
  if (table === undefined)
    return 'The name of the table is a variable, so nobody sees who writes to it. Write the name here, or list the possible names in tools/tidy/table-owners.ts.'
  const owner = tableOwners[table]
  if (owner === undefined)
    return `“${table}” has no owner. Add the module that owns it to tools/tidy/table-owners.ts.`
  // The columns that the module may change: see `checkMoneyColumns`.
  const isGuest = Object.hasOwn(foreignColumns[module] ?? {}, table)
  if (owner === module || isGuest) return undefined
  return `src/${module}/ writes to “${table}”, which belongs to ${owner}. Call a function of the owner.`
}

/** The store applies what the owners hand to it: records, backups, sealed values. */
function variableTablesOf(path: string, module: string): readonly Written[] {
  return module === 'store' ? [] : (variableTables[path] ?? [undefined])
}

function tablesWrittenBy(node: SyntaxNode): readonly Written[] {
  if (node.type === 'CallExpression') return calledTables(node)
  if (node.type === 'ObjectExpression') return shapedTables(node)
  if (node.type === 'TemplateLiteral') return templateTables(node)
  if (node.type === 'Literal') return statedTables(nameOf(node) ?? '')
  return []
}

/** `insertInto('table')` of the query builder. */
function calledTables(node: SyntaxNode): readonly Written[] {
  const callee = node['callee']
  if (!isSyntaxNode(callee)) return []
  if (!writers.has(nameOf(callee['property']) ?? nameOf(callee) ?? '')) return []
  const [first] = nodesOf(node['arguments'])
  return first === undefined ? [] : namedTables(first)
}

function namedTables(node: SyntaxNode): readonly Written[] {
  if (node.type === 'ArrayExpression') return nodesOf(node['elements']).flatMap(namedTables)
  const inner = node['expression']
  if (node.type === 'TSAsExpression' && isSyntaxNode(inner)) return namedTables(inner)
  const text = node.type === 'TemplateLiteral' ? onlyTextOf(node) : literalOf(node)
  return [text?.split(' ')[0]]
}

/** The row of a record shape: `{ table, columns, unique }`. */
function shapedTables(node: SyntaxNode): readonly Written[] {
  const members = new Map(
    nodesOf(node['properties']).map((each) => [nameOf(each['key']), each['value']]),
  )
  const table = members.get('table')
  const isRow = isSyntaxNode(table) && members.has('columns') && members.has('unique')
  return isRow ? namedTables(table) : []
}

/** Tables in SQL text. A sentence with “update” in it names no known table. */
function statedTables(text: string): readonly Written[] {
  const stated = [...text.matchAll(statement)].flatMap(([all, table = '']) => {
    const isSql = surely.test(all) && !/^(?:set|of|nowait|skip)$/i.test(table)
    return Object.hasOwn(tableOwners, table) || isSql ? [table] : []
  })
  return [...stated, ...(surely.test(unfinished.exec(text)?.[0] ?? '') ? [undefined] : [])]
}

function templateTables(node: SyntaxNode): readonly Written[] {
  const texts = nodesOf(node['quasis']).map((each) => textOf(each['value']))
  return texts.flatMap((text, index) => {
    const next = texts[index + 1]
    const begun = unfinished.exec(text)
    const isSql = surely.test(begun?.[0] ?? '')
    const isOpen = begun !== null && next !== undefined && !isSql && goesOn.test(next)
    return isOpen ? [undefined] : statedTables(text)
  })
}

function onlyTextOf(node: SyntaxNode): string | undefined {
  const [first, second] = nodesOf(node['quasis'])
  return first === undefined || second !== undefined ? undefined : textOf(first['value'])
}

function literalOf(node: SyntaxNode): string | undefined {
  return node.type === 'Literal' ? nameOf(node) : undefined
}

function nodesOf(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isSyntaxNode) : []
}

function textOf(value: unknown): string {
  const raw = typeof value === 'object' && value !== null && 'raw' in value ? value.raw : ''
  return typeof raw === 'string' ? raw : ''
}
