/** Finds what belongs to a list of label values without building a temporary string. */
export class LabelTree<Found extends object> {
  readonly #root = new Map<string, unknown>()
  readonly #max: number
  readonly #make: (values: readonly string[]) => Found
  readonly all: { readonly values: readonly string[]; readonly found: Found }[] = []

  /** All lists have the same number of values. Beyond `max` lists, nothing is added. */
  constructor(max: number, make: (values: readonly string[]) => Found) {
    this.#max = max
    this.#make = make
  }

  find(values: readonly string[]): Found | undefined {
    let node: Map<string, unknown> = this.#root
    const last = values.length - 1
    for (let depth = 0; depth < last; depth += 1) {
      const value = values[depth] ?? ''
      let child = node.get(value)
      if (child === undefined) {
        if (this.all.length >= this.#max) return undefined
        child = new Map<string, unknown>()
        node.set(value, child)
      }
      node = child as Map<string, unknown>
    }
    const value = values[last] ?? ''
    const known = node.get(value)
    if (known !== undefined) return known as Found
    if (this.all.length >= this.#max) return undefined
    const found = this.#make(values)
    node.set(value, found)
    this.all.push({ values, found })
    return found
  }
}
