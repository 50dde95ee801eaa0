import type { JsonObject } from '../../wire/json.ts'
import { countNodes, type SchemaWork } from './schema-work.ts'
import { isList, isSchema } from './subschemas.ts'

/** Resolves references inside one schema, and counts the cost of expanding them. */
export class SchemaRefs {
  readonly work: SchemaWork
  readonly #root: JsonObject
  readonly #counts = new Map<object, number>()

  constructor(root: JsonObject, work: SchemaWork) {
    this.#root = root
    this.work = work
  }

  /**
   * Undefined when there is no such definition. Each lookup counts: a schema of a few lines can expand to gigabytes.
   */
  find(ref: string): JsonObject | undefined {
    const target = this.#read(ref)
    if (target) this.work.spend(countNodes(target, this.#counts))
    return target
  }

  #read(ref: string): JsonObject | undefined {
    if (!ref.startsWith('#')) return undefined
    let at: unknown = this.#root
    for (const step of ref.slice(1).split('/').slice(1)) at = memberAt(at, decodeStep(step))
    return isSchema(at) ? at : undefined
  }
}

function memberAt(value: unknown, name: string): unknown {
  if (isList(value)) return value[Number(name)]
  return isSchema(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function decodeStep(step: string): string {
  const pointer = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}
