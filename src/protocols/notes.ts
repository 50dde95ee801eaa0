import type { Warning } from '../core/codes.ts'
import { Fault } from '../core/fault.ts'
import type { FieldNames, RequestFieldName } from './field-names.ts'
import { SchemaNodes, SchemaWork } from './schema/schema-work.ts'

const warningsMax = 32
const warningLengthMax = 64

/**
 * Collects the fields that a translation drops or changes. The client reads them in a response header, the operator in
 * the usage row. A strict group returns a 400 instead wherever the meaning would change.
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

  /** All schemas of the request share one limit, in whichever field they are. */
  schemaWork(field: 'tools' | 'format'): SchemaWork {
    this.#schemaNodes ??= new SchemaNodes()
    return new SchemaWork(this.#names[field], this.#schemaNodes)
  }

  /** Records a dropped field that does not change the answer: cache hints, labels, reasoning of another vendor. */
  harmless(field: RequestFieldName, what: Warning = 'dropped'): void {
    this.#add(this.#codeFor(field, what))
  }

  /**
   * Records a dropped or changed field (`stop_dropped`, `temperature_clamped`). Lenient groups warn, strict groups
   * refuse.
   */
  lossy(field: RequestFieldName, what: Warning = 'dropped'): void {
    const name = field === 'extras' ? what.replace(/_dropped$/, '') : this.#names[field]
    if (this.#isStrict) {
      throw new Fault(
        'invalid_request',
        `The field "${name}" cannot be translated exactly for the upstream of this model (${what}), and this service group is strict. Leave the field out, or ask the operator to set "unsupported: drop" for the group.`,
        { param: name, isUntranslatable: true },
      )
    }
    this.#add(this.#codeFor(field, what))
  }

  /**
   * Refuses the request in every group because its meaning would change too much. `path` points inside the field:
   * `[2].content`.
   */
  refuse(field: RequestFieldName, message: string, path: string = ''): never {
    throw new Fault('invalid_request', message, {
      param: field === 'extras' ? path : this.#names[field] + path,
      isUntranslatable: true,
    })
  }

  /** A field that only the client's protocol has carries its own name in `what`. */
  #codeFor(field: RequestFieldName, what: string): string {
    return field === 'extras' ? what : `${this.#names[field]}_${what}`
  }

  /**
   * A warning may contain text of the client and goes into a header, so only characters that are safe there are kept.
   */
  #add(warning: string): void {
    // Most warnings repeat for every turn and contain only safe characters.
    if (this.#warnings.size >= warningsMax || this.#warnings.has(warning)) return
    this.#warnings.add(warning.slice(0, warningLengthMax).replace(/[^A-Za-z0-9_.-]+/g, '_'))
  }
}
