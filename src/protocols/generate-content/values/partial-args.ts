import { GrowingText } from '../../../core/runtime/growing-text.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { replyLimits } from '../../reply-limits.ts'
import { fieldOf, listOrSingle, textOf } from './read-field.ts'

interface Branch {
  readonly isList: boolean
  readonly children: Map<string, Branch | Leaf>
}

interface Leaf {
  value: unknown
}

const step = /\.([^.[\]]+)|\[(\d{1,5})\]|\['([^']*)'\]/g
const stepsMax = 64

/**
 * Arguments that arrive in pieces, each with its path: `$.city`, `$.days[0].name`. Text for the same path is joined
 * while the previous piece announces more.
 */
export class PartialArgs {
  readonly #root: Branch = { isList: false, children: new Map() }
  #openPath: string | undefined
  #characters = 0

  add(pieces: unknown): void {
    for (const piece of listOrSingle(pieces)) if (isObject(piece)) this.#addPiece(piece)
  }

  /** The arguments as JSON text. */
  text(): string {
    return write(this.#root)
  }

  #addPiece(piece: JsonObject): void {
    const path = textOf(piece, 'jsonPath')
    if (path === undefined || this.#characters > replyLimits.argumentCharacters) return
    const leaf = leafAt(this.#root, path)
    if (!leaf) return
    const value = valueIn(piece)
    const before = this.#openPath === path ? leaf.value : undefined
    const isMore = before instanceof GrowingText && typeof value === 'string'
    const text = isMore ? before : new GrowingText()
    if (typeof value === 'string') {
      text.add(value)
      this.#characters += value.length
    }
    leaf.value = typeof value === 'string' ? text : value
    this.#openPath = fieldOf(piece, 'willContinue') === true ? path : undefined
  }
}

function valueIn(piece: JsonObject): unknown {
  for (const name of ['stringValue', 'numberValue', 'boolValue']) {
    const value = fieldOf(piece, name)
    if (value !== undefined) return value
  }
  return null
}

function leafAt(root: Branch, path: string): Leaf | undefined {
  const steps = [...path.matchAll(step)]
  if (steps.length === 0 || steps.length > stepsMax) return undefined
  let branch = root
  for (const [position, [, name, index, quoted]] of steps.entries()) {
    const key = name ?? index ?? quoted ?? ''
    const next = branch.children.get(key)
    if (position === steps.length - 1) {
      const leaf = next && 'value' in next ? next : { value: undefined }
      branch.children.set(key, leaf)
      return leaf
    }
    const isList = steps[position + 1]?.[2] !== undefined
    const child = next && 'children' in next ? next : { isList, children: new Map() }
    branch.children.set(key, child)
    branch = child
  }
  return undefined
}

function write(node: Branch | Leaf): string {
  if ('value' in node) {
    const { value } = node
    return JSON.stringify(value instanceof GrowingText ? value.toString() : value) ?? 'null'
  }
  const members = [...node.children]
  if (node.isList) return `[${members.map(([, child]) => write(child)).join(',')}]`
  return `{${members.map(([name, child]) => `${JSON.stringify(name)}:${write(child)}`).join(',')}}`
}
