import { setTimeout as pause } from 'node:timers/promises'
import { chatBody } from '../../support/gateway/ask.ts'
import { askShop } from '../../support/process/shop.ts'

/** The requests and answers as callers behind a load balancer have seen them. */
export interface BalancedCallers {
  readonly answered: readonly string[]
  /** Requests with an unexpected answer. Nothing is retried. */
  readonly failed: readonly string[]
  /** Whether the balancer sends requests to this gateway. */
  isReady(place: string): boolean
  stop(): Promise<void>
}

const lookEveryMs = 50
/** All callers together keep both processes busy, and leave some CPU for the restart. */
export const betweenCallsMs = 40

/**
 * Acts like a load balancer: requests `/readyz` of each gateway periodically, and sends requests in turn to those that
 * were ready at the last check.
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
