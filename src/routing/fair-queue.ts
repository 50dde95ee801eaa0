import { type Priority, priorities } from '../core/upstreams/priority.ts'

/** The facts that determine the order of a queue. */
export interface QueueMember {
  readonly accountId: string
  readonly priority: Priority
}

/** The turns of each class are this far apart: 16 of `high` for 4 of `normal` and 1 of `low`. */
const strides: Readonly<Record<Priority, number>> = { high: 1, normal: 4, low: 16 }

interface Lane<Member> {
  readonly accountId: string
  readonly members: Member[]
}

interface ClassQueue<Member> {
  /**
   * The time of the next turn of this class, counted in turns. Undefined while the class is empty, unless its last
   * member has left without a turn.
   */
  turn: number | undefined
  /** The account at the front is next. */
  readonly lanes: Lane<Member>[]
}

/**
 * A queue that is fair to classes and to accounts. Classes that wait get turns by their weights, so that none
 * starves. Within a class the accounts take turns, and the requests of an account keep their order.
 */
export class FairQueue<Member extends QueueMember> {
  readonly #classes: Readonly<Record<Priority, ClassQueue<Member>>> = {
    high: { turn: undefined, lanes: [] },
    normal: { turn: undefined, lanes: [] },
    low: { turn: undefined, lanes: [] },
  }
  /** The time of the last turn. */
  #now = 0

  add(member: Member): void {
    const classQueue = this.#classes[member.priority]
    // A class that was empty has no claim to turns of the past, except to one that its members gave up waiting for.
    // Otherwise a class whose members never wait long enough would starve.
    classQueue.turn ??= this.#now + strides[member.priority]
    const lane = classQueue.lanes.find(({ accountId }) => accountId === member.accountId)
    if (lane) lane.members.push(member)
    else classQueue.lanes.push({ accountId: member.accountId, members: [member] })
  }

  remove(member: Member): void {
    const { lanes } = this.#classes[member.priority]
    const place = lanes.findIndex(({ accountId }) => accountId === member.accountId)
    const members = lanes[place]?.members ?? []
    const index = members.indexOf(member)
    if (index >= 0) members.splice(index, 1)
    if (place >= 0 && members.length === 0) lanes.splice(place, 1)
  }

  /** The member whose turn is next; undefined when nobody waits. */
  peek(): Member | undefined {
    return this.#nextClass()?.lanes[0]?.members[0]
  }

  /** Removes the member whose turn is next. */
  take(): Member | undefined {
    const classQueue = this.#nextClass()
    const lane = classQueue?.lanes.shift()
    const member = lane?.members.shift()
    if (!classQueue || !lane || !member) return undefined
    if (lane.members.length > 0) classQueue.lanes.push(lane)
    this.#now = Math.max(this.#now, turnOf(classQueue))
    const isEmpty = classQueue.lanes.length === 0
    classQueue.turn = isEmpty ? undefined : this.#now + strides[member.priority]
    return member
  }

  #nextClass(): ClassQueue<Member> | undefined {
    let next: ClassQueue<Member> | undefined
    for (const priority of priorities) {
      const classQueue = this.#classes[priority]
      if (classQueue.lanes.length > 0 && (!next || turnOf(classQueue) < turnOf(next)))
        next = classQueue
    }
    return next
  }
}

function turnOf({ turn = 0 }: ClassQueue<unknown>): number {
  return turn
}
