import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import { everyNode, isSyntaxNode, nameOf, type SyntaxNode } from '../syntax-node.ts'

/** Where words are defined: the core, the definitions of managed resources, the settings, and the contract. */
const home = /^src\/(?:core|config)\/|\/definition\/|^src\/console-api\/contract\//
const code = /^(?:src|console\/src)\//

interface WordList {
  readonly file: SourceFile
  readonly node: SyntaxNode
  readonly words: string
}

/**
 * A list of words is written once, where it is defined; elsewhere its name or its type is used. A second list or union
 * of exactly the same words would miss the next word.
 */
export function checkVocabulary(sources: ReadonlyMap<string, SourceFile>): Finding[] {
  const files = [...sources.values()].filter(({ path }) => code.test(path))
  const defined = new Map<string, WordList>()
  for (const file of files) {
    if (!home.test(file.path)) continue
    for (const list of listsIn(file, isDefining)) {
      if (!defined.has(list.words)) defined.set(list.words, list)
    }
  }
  return files.flatMap((file) =>
    listsIn(file, () => true).flatMap(({ node, words }) => {
      const first = defined.get(words)
      if (first === undefined || first.node === node) return []
      const where = `${first.file.path}:${first.file.lineAt(first.node.start)}`
      const message = `these words are defined in ${where}. Use that list or its type, so that a new word is known here too.`
      return [{ path: file.path, line: file.lineAt(node.start), rule: 'vocabulary', message }]
    }),
  )
}

function listsIn(file: SourceFile, isWanted: (node: SyntaxNode, text: string) => boolean) {
  const lists: WordList[] = []
  for (const node of everyNode(file.program)) {
    if (!isWanted(node, file.text)) continue
    const words = wordsOf(node)
    if (words !== undefined) lists.push({ file, node, words })
  }
  return lists
}

/** `[…] as const`, or a list that is handed to the kind of a field. */
function isDefining(node: SyntaxNode, text: string): boolean {
  if (node.type !== 'ArrayExpression') return false
  const [before, after] = [text.slice(0, node.start), text.slice(Number(node['end']))]
  return (
    /^\s*as const\b/.test(after) || /\b(?:wordKind|wordSetting|z\.enum)\((?:'\w+', )?$/.test(before)
  )
}

/** The words of a list or of a union of types, sorted; undefined when it has anything else in it. */
function wordsOf(node: SyntaxNode): string | undefined {
  const parts: unknown =
    node.type === 'ArrayExpression'
      ? node['elements']
      : node.type === 'TSUnionType'
        ? node['types']
        : undefined
  if (!Array.isArray(parts) || parts.length < 2) return undefined
  const words = parts.map(wordOf)
  const isList = words.every((word) => word !== undefined) && new Set(words).size === words.length
  return isList ? words.toSorted().join(' ') : undefined
}

function wordOf(part: unknown): string | undefined {
  if (!isSyntaxNode(part)) return undefined
  if (part.type === 'TSLiteralType') return wordOf(part['literal'])
  return part.type === 'Literal' ? nameOf(part) : undefined
}
