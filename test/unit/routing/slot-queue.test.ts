import { describe, expect, test } from 'bun:test'
import type { Priority } from '../../../src/core/upstreams/priority.ts'
import type { Candidate } from '../../../src/routing/route-set.ts'
import { SlotQueue, type SlotWaiter, type UpstreamSlot } from '../../../src/routing/slot-queue.ts'
import type { UpstreamLoad } from '../../../src/routing/target-state.ts'

/** A full upstream, as the queue sees it. */
function upstream(concurrencyMax = 1): { load: UpstreamLoad; candidate: Candidate } {
  const load: UpstreamLoad = { inFlight: concurrencyMax, turn: 0, concurrencyMax }
  const candidate = { state: { load } }
  return { load, candidate: candidate as unknown as Candidate }
}

function waiterOf(
  name: string,
  candidates: readonly Candidate[],
  told: string[],
  own: { accountId?: string; priority?: Priority } = {},
): SlotWaiter & { slots: UpstreamSlot[]; isGone: boolean } {
  const slots: UpstreamSlot[] = []
  const client = { isGone: false, denseIndex: undefined as number | undefined }
  return Object.assign(client, {
    accountId: own.accountId ?? name,
    priority: own.priority ?? 'normal',
    candidates,
    slots,
    isClientGone: () => client.isGone,
    clientLeft: () => void told.push(`${name} left`),
    served: (slot: UpstreamSlot) => {
      slots.push(slot)
      told.push(name)
    },
    dismissed: () => void told.push(`${name} dismissed`),
  })
}

/** An attempt of another request ends. */
function free(load: UpstreamLoad): void {
  load.inFlight -= 1
  load.queue?.offer()
}

describe('the queue for slots', () => {
  const rules = { waitMs: 1_000, lengthMax: 8 }

  test('a free slot goes to one waiting request, and no other sees it free', () => {
    const told: string[] = []
    const { load, candidate } = upstream()
    const queue = new SlotQueue(rules)
    const [first, second] = ['first', 'second'].map((name) => waiterOf(name, [candidate], told))
    if (!first || !second) throw new Error('no waiters')
    expect([queue.join(first), queue.join(second)]).toEqual([true, true])
    expect(told).toEqual([])
    free(load)
    expect(told).toEqual(['first'])
    expect(load.inFlight).toBe(1)
    // The attempt begins and counts by itself; ending the kept slot twice does no harm.
    load.inFlight += 1
    first.slots[0]?.end()
    first.slots[0]?.end()
    expect([told, load.inFlight]).toEqual([['first'], 1])
    free(load)
    expect(told).toEqual(['first', 'second'])
    second.slots[0]?.end()
    expect([load.inFlight, queue.lengthOf('normal')]).toEqual([0, 0])
  })

  test('a slot that is not used goes to the next', () => {
    const told: string[] = []
    const { load, candidate } = upstream()
    const queue = new SlotQueue(rules)
    const first = waiterOf('first', [candidate], told)
    queue.join(first)
    queue.join(waiterOf('second', [candidate], told))
    free(load)
    first.slots[0]?.end()
    expect([told, load.inFlight]).toEqual([['first', 'second'], 1])
  })

  test('a request that could use two upstreams gets the first free one, and only this one', () => {
    const told: string[] = []
    const [one, two] = [upstream(), upstream()]
    const queue = new SlotQueue(rules)
    queue.join(waiterOf('either', [one.candidate, two.candidate], told))
    queue.join(waiterOf('only one', [one.candidate], told))
    free(two.load)
    expect([told, two.load.inFlight]).toEqual([['either'], 1])
    free(one.load)
    expect(told).toEqual(['either', 'only one'])
  })

  test('a client that has disconnected gets no slot, also if nobody has noticed it yet', () => {
    const told: string[] = []
    const { load, candidate } = upstream()
    const queue = new SlotQueue(rules)
    const gone = ['first', 'second'].map((name) => waiterOf(name, [candidate], told))
    for (const waiter of gone) {
      queue.join(waiter)
      waiter.isGone = true
    }
    queue.join(waiterOf('third', [candidate], told))
    free(load)
    expect(told).toEqual(['first left', 'second left', 'third'])
    expect(gone.flatMap(({ slots }) => slots)).toEqual([])
    expect([load.inFlight, queue.length]).toEqual([1, 0])
  })

  test('a slot that became free before the request joined is given at once', () => {
    const told: string[] = []
    const { load, candidate } = upstream()
    load.inFlight = 0
    expect(new SlotQueue(rules).join(waiterOf('late', [candidate], told))).toBe(true)
    expect([told, load.inFlight]).toEqual([['late'], 1])
  })

  test('has a maximum length, of which one account gets a quarter', () => {
    const told: string[] = []
    const { load, candidate } = upstream()
    const queue = new SlotQueue(rules)
    const joins = (accountId: string) => queue.join(waiterOf(accountId, [candidate], told))
    expect(['a', 'a', 'a'].map(joins)).toEqual([true, true, false])
    expect(['b', 'b', 'c', 'c', 'd', 'd', 'e'].map(joins)).toEqual([...Array(6).fill(true), false])
    free(load)
    expect(told).toEqual(['a'])
    expect(['e', 'a'].map(joins)).toEqual([true, false])
    expect(queue.lengthOf('normal')).toBe(8)
  })

  test('in the smallest queue one request waits', () => {
    const { candidate } = upstream()
    const queue = new SlotQueue({ waitMs: 1, lengthMax: 1 })
    const joins = ['a', 'a', 'b'].map((name) => queue.join(waiterOf(name, [candidate], [])))
    expect(joins).toEqual([true, false, false])
  })

  test('a request that leaves gets no slot; a closed queue dismisses all and admits none', () => {
    const told: string[] = []
    const { load, candidate } = upstream()
    const queue = new SlotQueue(rules)
    const gone = waiterOf('gone', [candidate], told)
    queue.join(gone)
    for (const name of ['low', 'high'] as const)
      queue.join(waiterOf(name, [candidate], told, { priority: name }))
    queue.leave(gone)
    queue.leave(gone)
    expect(queue.lengthOf('normal')).toBe(0)
    free(load)
    expect(told).toEqual(['high'])
    queue.close()
    expect(told).toEqual(['high', 'low dismissed'])
    expect(queue.join(waiterOf('new', [candidate], told))).toBe(false)
  })
})
