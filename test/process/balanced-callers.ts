import { setTimeout as pause } from 'node:timers/promises'
import { chatBody } from '../support/gateway/ask.ts'
import { askShop } from './shop.ts'

/** What callers behind a load balancer have seen. */
export interface BalancedCallers {
  readonly answered: readonly string[]
  /** Requests that were not answered as they should be. Nothing is sent twice. */
  readonly failed: readonly string[]
  /** Resolves once the balancer sends to exactly these places. */
  isReady(place: string): boolean
  stop(): Promise<void>
}

const lookEveryMs = 50
/** All callers together keep both processes at work, and leave the machine something for the restart. */
export const betweenCallsMs = 40

/**
 * As a load balancer does: it asks each place for `/readyz` every now and then, and sends requests in turn to those
 * that were ready at its last look.
 */
export function startBalancedCallers(count: number, places: readonly string[]): BalancedCallers {
  const answered: string[] = []
  const failed: string[] = []
  const ready = new Set<string>()
  let isOver = false
  let turn = 0

  const look = async (place: string): Promise<void> => {
    while (!isOver) {
      const isReady = await fetch(`${place}/readyz`).then(
        (response) => response.status === 200,
        () => false,
      )
      if (isReady) ready.add(place)
      else ready.delete(place)
      await pause(lookEveryMs)
    }
  }
  const call = async (caller: number): Promise<void> => {
    while (!isOver) {
      const now = [...ready]
      const place = now[turn % now.length]
      turn += 1
      if (place === undefined) {
        await pause(lookEveryMs)
        continue
      }
      const outcome = await askOnce(place, caller % 2 === 0)
      if ('id' in outcome) answered.push(outcome.id)
      else failed.push(outcome.problem)
      await pause(betweenCallsMs)
    }
  }
  const looking = places.map(look)
  const calling = Array.from({ length: count }, (_, caller) => call(caller))
  return {
    answered,
    failed,
    isReady: (place) => ready.has(place),
    stop: async () => {
      isOver = true
      await Promise.all([...looking, ...calling])
    },
  }
}

async function askOnce(
  url: string,
  isStream: boolean,
): Promise<{ readonly id: string } | { readonly problem: string }> {
  try {
    const response = await askShop(url, { body: chatBody({ stream: isStream }) })
    const text = await response.text()
    const isWhole = isStream ? text.includes('[DONE]') : text.includes('"finish_reason"')
    if (response.status === 200 && isWhole)
      return { id: response.headers.get('x-request-id') ?? '' }
    return { problem: `${response.status}: ${text.slice(0, 300)}` }
  } catch (error) {
    return { problem: `cut: ${String(error)}` }
  }
}
