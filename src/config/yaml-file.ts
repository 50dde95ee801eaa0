import { isMap, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { parseDecimal } from '../core/money/money.ts'
import { ConfigProblem } from './config-problem.ts'

export type YamlPath = readonly PropertyKey[]

export interface YamlFile {
  /** As the operator names it. */
  readonly path: string
  readonly value: unknown
  /** `tollgate.yaml:12` for the position of a value, or of its nearest written parent. */
  whereIs(path: YamlPath): string
  /** The document was sent and is not in a file, so a position is given by its name alone. */
  readonly isSent?: true
}

export function readYaml(path: string, text: string): YamlFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => `${path}:${lines.linePos(offset).line}`
  const fault = document.errors[0]
  if (fault) {
    const reason = fault.message.replace(/\s+/g, ' ').replace(/[.:]$/, '')
    throw new ConfigProblem(
      `${at(fault.pos[0])}: this is not valid YAML: ${reason}; correct the file.`,
    )
  }
  keepDecimalsExact(document)
  const whereIs = (wanted: YamlPath) => at(offsetOf(document.contents, wanted))
  try {
    return { path, value: document.toJS() as unknown, whereIs }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigProblem(`${path}: this is not valid YAML: ${reason}; correct the file.`, {
      cause: error,
    })
  }
}

/** A number with more digits than a float can hold stays text as written: it may be money. */
function keepDecimalsExact(document: ReturnType<typeof parseDocument>): void {
  const scaleDigits = 40
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value !== 'number' || node.source === undefined) return
      const written = parseDecimal(node.source, scaleDigits)
      if (written !== undefined && written !== parseDecimal(node.value, scaleDigits))
        node.value = node.source
    },
  })
}

function offsetOf(contents: unknown, path: YamlPath): number {
  let offset = 0
  let node = contents
  for (const step of path) {
    const next = childOf(node, step)
    if (next === undefined) break
    offset = next.offset
    node = next.node
  }
  return offset
}

function childOf(node: unknown, step: PropertyKey): { node: unknown; offset: number } | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === step)
    if (!pair || !isScalar(pair.key)) return undefined
    return { node: pair.value, offset: startOf(pair.key) }
  }
  if (typeof node !== 'object' || node === null || !('items' in node)) return undefined
  const item =
    Array.isArray(node.items) && typeof step === 'number'
      ? (node.items[step] as unknown)
      : undefined
  return item === undefined ? undefined : { node: item, offset: startOf(item as Node) }
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0
}
