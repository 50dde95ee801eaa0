import {
  benchModel,
  completionsPath,
  question,
  requestBody,
  type StreamShape,
} from '../bench-request.ts'
import type { Load } from '../measure-load.ts'
import { largeRequests } from '../translated-requests.ts'

export interface AgainstCase {
  readonly name: string
  readonly title: string
  readonly body: string
  readonly load: Omit<Load, 'scriptFile'>
  /** The number of counted units in one request. */
  readonly unitsPerRequest: number
  /**
   * The number of counted units until the compiler has compiled the hot code. On a busy machine, no number of seconds
   * guarantees that.
   */
  readonly warmUpUnits: number
}

const shape: StreamShape = { eventCount: 50, intervalMs: 5 }
const messagesPath = '/v1/messages'
const whole = { connections: 32, counted: 'requests' } as const
const long = { connections: 2, counted: 'requests' } as const
const streamed = { connections: 100, counted: 'events' } as const

function messagesBody(stream?: StreamShape): string {
  return JSON.stringify({
    model: benchModel,
    max_tokens: stream?.eventCount ?? 128,
    system: 'You are a helpful assistant who answers in few words.',
    messages: [{ role: 'user', content: question(stream) }],
    ...(stream && { stream: true }),
  })
}

/**
 * Small plain requests to a chat-completions upstream show the cost that every request pays. Long conversations show
 * the cost per kilobyte.
 */
export const againstCases: readonly AgainstCase[] = [
  {
    name: 'chat',
    title: 'chat-completions, passed through, whole',
    body: requestBody(),
    load: { ...whole, path: completionsPath },
    unitsPerRequest: 1,
    warmUpUnits: 40_000,
  },
  {
    name: 'chat-stream',
    title: `chat-completions, passed through, ${shape.eventCount} events`,
    body: requestBody(shape),
    load: { ...streamed, path: completionsPath },
    unitsPerRequest: shape.eventCount,
    warmUpUnits: 150_000,
  },
  {
    name: 'messages',
    title: 'messages, translated, whole',
    body: messagesBody(),
    load: { ...whole, path: messagesPath },
    unitsPerRequest: 1,
    warmUpUnits: 40_000,
  },
  {
    name: 'messages-stream',
    title: `messages, translated, ${shape.eventCount} events`,
    body: messagesBody(shape),
    load: { ...streamed, path: messagesPath },
    unitsPerRequest: shape.eventCount,
    warmUpUnits: 150_000,
  },
  ...largeRequests()
    .filter(({ path }) => path === completionsPath || path === messagesPath)
    .map(({ path, body }) => {
      const isPassed = path === completionsPath
      return {
        name: isPassed ? 'chat-long' : 'messages-long',
        title: isPassed
          ? 'chat-completions, passed through, 330 KB'
          : 'messages, translated, 330 KB',
        body,
        load: { ...long, path },
        unitsPerRequest: 1,
        warmUpUnits: 600,
      }
    }),
]
