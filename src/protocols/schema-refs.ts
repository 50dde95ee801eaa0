import { writeJson } from '../wire/exact-json.ts'
import type { JsonObject } from '../wire/json.ts'
import { isList, isSchema } from './subschemas.ts'

/** References that are written out can multiply: a schema of a few lines may stand for gigabytes. */
const charactersMax = 200_000

/** Finds what references inside one schema point to, until as much has been written out as is reasonable. */
export class SchemaRefs {
  readonly #root: JsonObject
  readonly #lengths = new Map<JsonObject, number>()
  #charactersLeft = charactersMax

  constructor(root: JsonObject) {
    this.#root = root
  }

  /** Undefined when there is nothing of that name, or it would be too much. */
  find(ref: string): JsonObject | undefined {
    const target = this.#read(ref)
    if (!target) return undefined
    const length = this.#lengths.get(target) ?? writeJson(target).length
    this.#lengths.set(target, length)
    if (length > this.#charactersLeft) return undefined
    this.#charactersLeft -= length
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
