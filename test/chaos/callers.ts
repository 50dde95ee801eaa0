import { setTimeout as pause } from 'node:timers/promises'
import { askShop } from '../support/process/shop.ts'
import { between, type Random } from './chaos-seed.ts'
import { type ChaosKey, numberedBody } from './chaos-shop.ts'

/** The requests and answers as the callers of a gateway have seen them. Ids come from the response header. */
export interface Seen {
  /** Requests that were sent, with or without an answer. */
  sent: number
  /** Complete answers, with the number of their request. */
  readonly whole: Map<string, number>
  /** Answers that began with status 200 and are incomplete. */
  readonly begun: Set<string>
  /** Error answers, with their status. */
  readonly refused: Map<string, number>
  /** The longest wait of a caller for a complete answer. */
  longestMs: number
  /** Answers that no gateway may ever give. */
  readonly absurd: string[]
}

export interface Callers {
  readonly seen: Seen
  /** Sets the URL that the callers use; with undefined they wait. */
  turnTo(url: string | undefined): void
  /** Resolves when no caller waits for an answer. */
  stop(): Promise<void>
}

export interface CallerOptions {
  readonly count: number
  /** Each caller uses one key set and moves on to its next key when one is exhausted. */
  readonly keySets: readonly (readonly ChaosKey[])[]
  readonly random: Random
  /** One of this many requests is aborted in the middle of its answer. */
  readonly leavesOneIn?: number
  /** The pause of a caller after an answer; without it, the next request follows at once. */
  readonly betweenMs?: number
}

const restMs = 20
let lastNumber = 0

/** Callers that send one request after the other, streamed and not streamed, whatever happens to the gateway. */
export function startCallers(options: CallerOptions): Callers {
  const seen: Seen = {
    sent: 0,
    whole: new Map(),
    begun: new Set(),
    refused: new Map(),
    longestMs: 0,
    absurd: [],
  }
  const state: { url: string | undefined; isOver: boolean } = { url: undefined, isOver: false }
  let turned = Promise.withResolvers<void>()
  const call = async (index: number): Promise<void> => {
    const keySet = options.keySets[index % options.keySets.length] ?? []
    let turn = index
    while (!state.isOver) {
      const { url } = state
      const key = keySet[turn % keySet.length]
      if (url === undefined || !key) {
        await turned.promise
        continue
      }
      const status = await askOnce(url, key.value, index % 2 === 0, seen, options)
      if (status === 403 || status === 429) turn += 1
      const pauseMs = status === 200 ? options.betweenMs : restMs
      if (pauseMs !== undefined) await pause(pauseMs)
    }
  }
  /** Callers without a URL wait for this promise instead of polling, because the start of a gateway needs the CPU. */
  const wake = (): void => {
    turned.resolve()
    turned = Promise.withResolvers<void>()
  }
  const calling = Array.from({ length: options.count }, (_, index) => call(index))
  return {
    seen,
    turnTo: (url) => {
      state.url = url
      wake()
    },
    stop: async () => {
      state.isOver = true
      wake()
      await Promise.all(calling)
    },
  }
}

async function askOnce(
  url: string,
  key: string,
  isStream: boolean,
  seen: Seen,
  { random, leavesOneIn }: CallerOptions,
): Promise<number | undefined> {
  lastNumber += 1
  const number = lastNumber
  const leaves = leavesOneIn !== undefined && between(random, 1, leavesOneIn) === 1
  const gone = new AbortController()
  const beganMs = performance.now()
  seen.sent += 1
  let id = ''
  try {
    const body = numberedBody(number, isStream)
    const response = await askShop(url, { key, body, signal: gone.signal })
    id = response.headers.get('x-gateway-request-id') ?? ''
    if (response.status === 200) seen.begun.add(id)
    if (leaves) gone.abort()
    const text = await response.text()
    if (response.status !== 200) {
      seen.refused.set(id, response.status)
      return response.status
    }
    if (!isWhole(text, isStream)) return undefined
    if (seen.whole.has(id) || !text.includes(isStream ? `"${number}"` : `answer ${number}"`)) {
      seen.absurd.push(`${id}: ${text}`)
    }
    seen.begun.delete(id)
    seen.whole.set(id, number)
    seen.longestMs = Math.max(seen.longestMs, performance.now() - beganMs)
    return response.status
  } catch {
    return undefined
  }
}

function isWhole(text: string, isStream: boolean): boolean {
  return isStream ? text.includes('[DONE]') : text.includes('"usage"') && text.endsWith('}')
}
