/** A member stores its own index in the set, so that removal needs no search. */
export interface DenseSetMember {
  /** Undefined while the member is in no set. Only the set writes this field. */
  denseIndex: number | undefined
}

/**
 * The current members, in no order. A Set would do, but the runtime rebuilds a Set whenever enough members have come
 * and gone, and the old table keeps all its members and the new table alive until a full collection. With thousands of
 * requests a second this was most of the garbage collector's work.
 */
export class DenseSet<Member extends DenseSetMember> {
  readonly #members: Member[] = []

  get size(): number {
    return this.#members.length
  }

  add(member: Member): void {
    if (member.denseIndex !== undefined) throw new Error('the member is already in a set')
    member.denseIndex = this.#members.length
    this.#members.push(member)
  }

  /** False when the member is not in the set. */
  remove(member: Member): boolean {
    const index = member.denseIndex
    if (index === undefined) return false
    member.denseIndex = undefined
    const last = this.#members.pop()
    if (last && last !== member) {
      last.denseIndex = index
      this.#members[index] = last
    }
    return true
  }

  /** A copy of the current members, which later changes do not affect. */
  list(): Member[] {
    return [...this.#members]
  }
}
