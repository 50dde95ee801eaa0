import { readName } from './json-string.ts'

/** Up to this many names are compared one by one; an object with more names gets a set. */
const namesComparedMax = 16

const growth = 2

/** Arrays that a deeply nested text enlarged shrink back to this depth. */
const depthKeptMax = 128

/**
 * The member names of the objects that are open at one position of a JSON text, innermost last, as positions in the
 * text. A request has hundreds of names; a name is copied only if it is escaped or has many siblings.
 */
export class NameStack {
  /** Start and end of each name. */
  #spans = new Int32Array(256)
  #used = 0
  /** For each open level, the index of its first name; -1 for a list. */
  #bases = new Int32Array(depthKeptMax)
  #depth = 0
  #sets: (Set<string> | undefined)[] = []

  get isInObject(): boolean {
    return this.#depth > 0 && (this.#bases[this.#depth - 1] ?? -1) >= 0
  }

  begin(): void {
    this.#used = 0
    this.#depth = 0
    if (this.#sets.length > 0) this.#sets = []
    if (this.#bases.length > depthKeptMax) this.#bases = new Int32Array(depthKeptMax)
  }

  open(isObject: boolean): void {
    if (this.#depth === this.#bases.length) this.#bases = grown(this.#bases)
    this.#bases[this.#depth] = isObject ? this.#used : -1
    this.#depth += 1
  }

  close(): void {
    if (this.#depth === 0) return
    this.#depth -= 1
    const base = this.#bases[this.#depth] ?? -1
    if (base >= 0) this.#used = base
    if (this.#sets.length > this.#depth) this.#sets.length = this.#depth
  }

  /** Adds the name between these quotes to the innermost object; false if the object already has the name. */
  add(text: string, start: number, end: number, isPlain: boolean): boolean {
    const level = this.#depth - 1
    const base = this.#bases[level] ?? 0
    let set = this.#sets[level]
    if (!set && (!isPlain || this.#used - base >= namesComparedMax * 2)) {
      set = this.#makeSet(text, base)
      this.#sets[level] = set
    }
    if (set) {
      const { size } = set
      return set.add(readName(text, start, end)).size > size
    }
    const spans = this.#spans
    for (let at = base; at < this.#used; at += 2) {
      if (isSame(text, spans[at] ?? 0, spans[at + 1] ?? 0, start, end)) return false
    }
    if (this.#used + 2 > spans.length) this.#spans = grown(spans)
    this.#spans[this.#used] = start
    this.#spans[this.#used + 1] = end
    this.#used += 2
    return true
  }

  #makeSet(text: string, base: number): Set<string> {
    const set = new Set<string>()
    for (let at = base; at < this.#used; at += 2) {
      set.add(readName(text, this.#spans[at] ?? 0, this.#spans[at + 1] ?? 0))
    }
    return set
  }
}

function isSame(text: string, left: number, leftEnd: number, right: number, end: number): boolean {
  if (leftEnd - left !== end - right) return false
  for (let offset = end - right - 1; offset > 0; offset -= 1) {
    if (text.charCodeAt(left + offset) !== text.charCodeAt(right + offset)) return false
  }
  return true
}

function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * growth)
  larger.set(numbers)
  return larger
}
