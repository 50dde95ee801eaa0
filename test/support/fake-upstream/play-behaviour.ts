import { setTimeout as pause } from 'node:timers/promises'
import { createDemoUpstream } from '../../../src/demo/upstream/demo-upstream.ts'
import type { Behaviour, EventsBehaviour, StatusBehaviour } from './behaviour.ts'
import type { Recording } from './recorded-request.ts'
import { replaceUsage } from './replace-usage.ts'
import { statusBody } from './status-body.ts'

/** A behaviour as bytes to write; without a status, the upstream never answers. */
export interface Playback {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: AsyncIterable<Uint8Array>
  readonly end: 'clean' | 'cut' | 'stall'
}

const demo = createDemoUpstream({ wordDelayMs: 0 })
const json = { 'content-type': 'application/json' }

export async function playBehaviour(behaviour: Behaviour, call: Recording): Promise<Playback> {
  switch (behaviour.kind) {
    case 'demo':
      return playDemo(call)
    case 'reply': {
      const { status = 200, headers = json, body } = behaviour
      return { status, headers, chunks: bytesOf([body]), end: 'clean' }
    }
    case 'events':
      return playEvents(behaviour)
    case 'stall-before-headers':
      return { status: undefined, headers: {}, chunks: bytesOf([]), end: 'stall' }
    case 'reset':
      return { status: undefined, headers: {}, chunks: bytesOf([]), end: 'cut' }
    case 'status':
      return playStatus(behaviour, call.request.path)
    case 'lie-usage':
    case 'no-usage': {
      const lie = behaviour.kind === 'lie-usage' ? behaviour.usage : undefined
      const usage = typeof lie === 'function' ? lie(call.request.body) : lie
      const played = await playDemo(call)
      return { ...played, chunks: replaceUsage(played.chunks, usage) }
    }
    case 'split': {
      const played = await playBehaviour(behaviour.of ?? { kind: 'demo' }, call)
      return { ...played, chunks: splitBytes(played.chunks, behaviour.bytesPerWrite) }
    }
    case 'late':
      await pause(behaviour.afterMs)
      return playBehaviour(behaviour.of, call)
  }
}

async function playDemo({ request, signal }: Recording): Promise<Playback> {
  const { method, headers, body } = request
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const response = await demo(
    new Request(`http://demo.invalid${request.path}`, {
      method,
      headers: { ...headers },
      signal,
      ...(hasBody ? { body } : {}),
    }),
  )
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    chunks: response.body ?? bytesOf([]),
    end: 'clean',
  }
}

function playEvents({ events, gates, end, status = 200, headers }: EventsBehaviour): Playback {
  const type = { 'content-type': 'text/event-stream; charset=utf-8' }
  return { status, headers: { ...type, ...headers }, chunks: bytesOf(events, gates), end }
}

function playStatus(
  { status, retryAfterSeconds, message }: StatusBehaviour,
  path: string,
): Playback {
  const body = statusBody(path, status, message ?? `The fake upstream answers ${status}.`)
  const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  return {
    status,
    headers: { ...json, ...wait },
    chunks: bytesOf([JSON.stringify(body)]),
    end: 'clean',
  }
}

async function* bytesOf(
  pieces: readonly (string | Uint8Array)[],
  gates: readonly (Promise<unknown> | undefined)[] = [],
): AsyncIterable<Uint8Array> {
  for (const [index, piece] of pieces.entries()) {
    await gates[index]
    yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece
  }
}

async function* splitBytes(
  chunks: AsyncIterable<Uint8Array>,
  bytesPerWrite: number,
): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += bytesPerWrite) {
      yield chunk.subarray(start, start + bytesPerWrite)
    }
  }
}
