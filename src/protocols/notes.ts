import type { Warning } from '../core/codes.ts'
import { Fault } from '../core/fault.ts'
import { SchemaNodes, SchemaWork } from './schema/schema-work.ts'
import type { FieldNames, RequestFieldName } from './translation.ts'

const warningsMax = 32
const warningLengthMax = 64

/**
 * Collects what a translation leaves out or changes. The caller reads it in a response header and the operator
 * in the usage row. A strict group gets a 400 instead wherever the meaning would change.
 */
export class Notes {
  readonly #names: FieldNames
  readonly #isStrict: boolean
  readonly #warnings = new Set<string>()
  #schemaNodes: SchemaNodes | undefined

  constructor(names: FieldNames, isStrict: boolean) {
    this.#names = names
    this.#isStrict = isStrict
  }

  get warnings(): readonly string[] {
    return [...this.#warnings]
  }

  /** All schemas of the request share one limit, whichever field they stand in. */
  schemaWork(field: 'tools' | 'format'): SchemaWork {
    this.#schemaNodes ??= new SchemaNodes()
    return new SchemaWork(this.#names[field], this.#schemaNodes)
  }

  /** Left out, and the answer means the same: cache hints, labels, thoughts of another vendor. */
  harmless(field: RequestFieldName, what: Warning = 'dropped'): void {
    this.#add(this.#wordFor(field, what))
  }

  /** Left out or changed (`stop_dropped`, `temperature_clamped`): lenient groups warn, strict ones refuse. */
  lossy(field: RequestFieldName, what: Warning = 'dropped'): void {
    const name = field === 'extras' ? what.replace(/_dropped$/, '') : this.#names[field]
    if (this.#isStrict) {
      throw new Fault(
        'invalid_request',
        `The field "${name}" cannot be given to the upstream of this model as it was sent (${what}), and this service group is strict. Leave the field out, or ask the operator to make the group lenient.`,
        { param: name, isUntranslatable: true },
      )
    }
    this.#add(this.#wordFor(field, what))
  }

  /** Refused in every group: the meaning would change too much. `path` points inside the field: `[2].content`. */
  refuse(field: RequestFieldName, message: string, path: string = ''): never {
    throw new Fault('invalid_request', message, {
      param: field === 'extras' ? path : this.#names[field] + path,
      isUntranslatable: true,
    })
  }

  /** A field that only the client's protocol knows has its own name in `what`. */
  #wordFor(field: RequestFieldName, what: string): string {
    return field === 'extras' ? what : `${this.#names[field]}_${what}`
  }

  /** A warning may hold a client's own word, and stands in a header: only what is safe there is kept. */
  #add(warning: string): void {
    // Most say the same of every turn, in words that are safe as they are.
    if (this.#warnings.size >= warningsMax || this.#warnings.has(warning)) return
    this.#warnings.add(warning.slice(0, warningLengthMax).replace(/[^A-Za-z0-9_.-]+/g, '_'))
  }
}
