import { Fault } from '../../core/fault.ts'
import { RawJson } from '../../wire/exact-json.ts'

/**
 * The most nodes that the schemas of one request may have together when they are translated. A node is a value in a
 * schema. Each node that is read counts, and each node that a reference or an `allOf` makes the gateway write again.
 */
export const schemaNodesMax = 60_000
/** References can nest a schema deeper than the body that holds it. */
const depthMax = 256
/** Text counts too, so that copying a long description is not free. */
const charactersPerNode = 64

/** The cost of all schemas of one request so far. */
export class SchemaNodes {
  spent = 0
}

/**
 * The work limit for the schemas of one field. All fields of a request share one count, so many small schemas have the
 * same limit as one large schema.
 */
export class SchemaWork {
  readonly #param: string
  readonly #nodes: SchemaNodes

  constructor(param: string, nodes: SchemaNodes) {
    this.#param = param
    this.#nodes = nodes
  }

  /** Throws a 400 when the request has used up its nodes. */
  spend(nodes: number): void {
    this.#nodes.spent += nodes
    if (this.#nodes.spent > schemaNodesMax) throw this.#refusal(`more than ${schemaNodesMax} nodes`)
  }

  /** Charges text by its length before it is parsed. */
  spendText(text: string): void {
    this.spend(Math.ceil(text.length / charactersPerNode))
  }

  checkDepth(depth: number): void {
    if (depth > depthMax) throw this.#refusal(`more than ${depthMax} levels`)
  }

  #refusal(what: string): Fault {
    return new Fault(
      'invalid_request',
      `The JSON schemas in "${this.#param}" are too large to translate for the upstream of this model: all schemas of the request, with their references resolved, have ${what}. Send fewer or smaller schemas, or use fewer references.`,
      { param: this.#param, isUntranslatable: true },
    )
  }
}

/**
 * The number of nodes in a value, at all levels. The map caches the count of each object, so that no object is counted
 * twice.
 */
export function countNodes(value: unknown, counts: Map<object, number>): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / charactersPerNode)
  if (typeof value !== 'object' || value === null) return 1
  if (value instanceof RawJson) return 1 + Math.floor(value.text.length / charactersPerNode)
  const known = counts.get(value)
  if (known !== undefined) return known
  let nodes = 1
  if (Array.isArray(value)) for (const each of value) nodes += countNodes(each, counts)
  else {
    for (const [name, member] of Object.entries(value)) {
      nodes += Math.floor(name.length / charactersPerNode) + countNodes(member, counts)
    }
  }
  counts.set(value, nodes)
  return nodes
}
