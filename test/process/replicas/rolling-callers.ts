import { setTimeout as pause } from 'node:timers/promises'
import { chatBody } from '../../support/gateway/ask.ts'
import { askShop } from '../../support/process/shop.ts'
import { betweenCallsMs } from './balanced-callers.ts'

/** The requests and answers as callers have seen them that try another process when one does not accept them. */
export interface RollingCallers {
  readonly answered: readonly string[]
  /** Requests without a correct answer. */
  readonly failed: readonly string[]
  /** How often a process was skipped because it was stopped or stopping. */
  readonly moved: () => number
  stop(): Promise<void>
}

/** Enough attempts to find the running process. */
const turnsMax = 20

/**
 * Callers that send requests in turn to each gateway. A connection that fails without an answer, or 503 with
 * `Retry-After`, means that the next gateway is tried; any other incomplete answer is a failure.
 */
export function startRollingCallers(count: number, places: readonly string[]): RollingCallers {
  const answered: string[] = []
  const failed: string[] = []
  let moved = 0
  let isOver = false
  const call = async (caller: number): Promise<void> => {
    for (let turn = caller; !isOver; turn += 1) {
      const outcome = await askSomebody(turn)
      if ('id' in outcome) answered.push(outcome.id)
      else failed.push(outcome.problem)
      await pause(betweenCallsMs)
    }
  }
  const askSomebody = async (first: number): Promise<Outcome> => {
    for (let turn = first; turn < first + turnsMax; turn += 1) {
      const outcome = await askOnce(places[turn % places.length] ?? '', first % 2 === 0)
      if (outcome !== 'elsewhere') return outcome
      moved += 1
    }
    return { problem: 'nobody takes it' }
  }
  const calling = Array.from({ length: count }, (_, caller) => call(caller))
  return {
    answered,
    failed,
    moved: () => moved,
    stop: async () => {
      isOver = true
      await Promise.all(calling)
    },
  }
}

type Outcome = { readonly id: string } | { readonly problem: string }

async function askOnce(url: string, isStream: boolean): Promise<Outcome | 'elsewhere'> {
  let response: Response
  try {
    response = await askShop(url, { body: chatBody({ stream: isStream }) })
  } catch {
    return 'elsewhere'
  }
  try {
    const text = await response.text()
    if (response.status === 503 && response.headers.has('retry-after')) return 'elsewhere'
    const isWhole = isStream ? text.includes('[DONE]') : text.includes('"finish_reason"')
    if (response.status === 200 && isWhole)
      return { id: response.headers.get('x-request-id') ?? '' }
    return { problem: `${response.status}: ${text.slice(0, 300)}` }
  } catch (error) {
    return { problem: `cut: ${String(error)}` }
  }
}
