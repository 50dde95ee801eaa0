/** What stands on a roll knows its place there, so that it is struck off without being looked for. */
export interface DenseSetMember {
  /** Undefined while it stands on none. Only the roll writes it. */
  denseIndex: number | undefined
}

/**
 * What is under way at a time, in no order. A Set would do, but the runtime writes one anew whenever enough has come
 * and gone, and what is left of the old one keeps all that stood in it, and the new one too, until all of memory is
 * looked through. For thousands of requests a second that was most of the work of the garbage collector.
 */
export class DenseSet<Member extends DenseSetMember> {
  readonly #members: Member[] = []

  get size(): number {
    return this.#members.length
  }

  add(member: Member): void {
    if (member.denseIndex !== undefined) throw new Error('it stands on a roll already')
    member.denseIndex = this.#members.length
    this.#members.push(member)
  }

  /** False when it does not stand there. */
  remove(member: Member): boolean {
    const place = member.denseIndex
    if (place === undefined) return false
    member.denseIndex = undefined
    const last = this.#members.pop()
    if (last && last !== member) {
      last.denseIndex = place
      this.#members[place] = last
    }
    return true
  }

  /** Those who stand on it now, whatever happens to them meanwhile. */
  list(): Member[] {
    return [...this.#members]
  }
}
