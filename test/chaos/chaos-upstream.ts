import { setTimeout as pause } from 'node:timers/promises'
import { chunk, done, roleChunk, stopChunk, usageChunk } from '../support/gateway/chat-events.ts'
import { numberIn, usageOf } from './chaos-shop.ts'

export interface ChaosUpstream {
  readonly url: string
  /** The numbers of the received requests, in order. */
  readonly asked: readonly number[]
  stop(): Promise<void>
}

export interface UpstreamManner {
  /** The pause before an answer, and between the events of a stream. */
  pauseMs(number: number): number
  usage(number: number): ReturnType<typeof usageOf>
  /** Answers also wait for this promise. */
  gate?(): Promise<void>
  onAsked?(): void
}

/** Answers quickly and sends streams slowly, so that a kill interrupts some of them. */
export function startChaosUpstream(manner: Partial<UpstreamManner> = {}): ChaosUpstream {
  const { pauseMs = (number: number) => number % 6, usage = usageOf, gate, onAsked } = manner
  const asked: number[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      const body = await request.text()
      const number = numberIn(body)
      asked.push(number)
      onAsked?.()
      await pause(pauseMs(number))
      await gate?.()
      if (body.includes('"stream":true')) return streamed(number, pauseMs(number), usage(number))
      return Response.json(whole(number, usage(number)))
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, asked, stop: () => server.stop(true) }
}

function whole(number: number, usage: object): object {
  const message = { role: 'assistant', content: `answer ${number}` }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  return { id: 'c', object: 'chat.completion', created: 1, model: 'gpt-x', choices, usage }
}

function streamed(number: number, pauseMs: number, usage: ReturnType<typeof usageOf>): Response {
  const events = [roleChunk(), chunk('answer '), chunk(`${number}`), stopChunk()]
  events.push(usageChunk({ ...usage }), done)
  const encoder = new TextEncoder()
  async function* play(): AsyncGenerator<Uint8Array> {
    for (const event of events) {
      yield encoder.encode(event)
      await pause(pauseMs)
    }
  }
  return new Response(play(), { headers: { 'content-type': 'text/event-stream' } })
}
