import { isDeepStrictEqual } from 'node:util'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { isObject } from '../../../src/wire/json.ts'
import { dig } from '../dig.ts'
import type { Recording } from '../recordings/recording.ts'
import { tally } from '../report/tally.ts'
import { type Case, goodRepliesOf } from './assertion.ts'
import { outputOf } from './stream-rule.ts'

/**
 * M7, and the same for the other two clients with a stream helper: the reply that the vendor's own client assembles
 * from our stream equals our reply without streaming.
 */
export function m7OfficialClients(recordings: readonly Recording[]): Case[] {
  return helpers.flatMap(({ client, read, fields }) =>
    protocolNames.map((upstream) => ({
      name: `M7 the official ${client} client adds the stream up to the whole reply (${upstream} → ${client})`,
      run: async (judge) => {
        for (const recording of goodRepliesOf(recordings, upstream)) {
          await judge.checkLater(recording.name, async () => {
            const output = outputOf(recording, client)
            const isUnknown = output && unknownToHelpers.test(output.text)
            if (!output || isUnknown) return []
            answer = output.text
            return differences(await read(), output.whole, fields)
          })
        }
      },
    })),
  )
}

/** The helpers do not support the newer custom and remote tools, and throw for a failed reply. */
const unknownToHelpers = /"type":"(?:custom|mcp_tool_use|response\.failed)"/

interface Helper {
  readonly client: ProtocolName
  /** The members that must be equal in both forms; ids and times are generated for each. */
  readonly fields: readonly string[]
  /** Reads `answer`. */
  read(): Promise<unknown>
}

/** The stream that the next request of a client receives. The streams are read one after the other. */
let answer = ''

/** One client for all streams: creating a client takes as long as reading a short stream. */
const settings = {
  apiKey: 'none',
  maxRetries: 0,
  fetch: () => {
    tally('streams read by official clients')
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
    return Promise.resolve(new Response(answer, { headers }))
  },
}
const anthropic = new Anthropic(settings)
const openAi = new OpenAI(settings)

const helpers: readonly Helper[] = [
  {
    client: 'messages',
    fields: ['type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage'],
    read: () =>
      anthropic.messages
        .stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })
        .finalMessage(),
  },
  {
    client: 'chat-completions',
    fields: ['model', 'choices', 'usage'],
    read: () =>
      openAi.chat.completions
        .stream({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
        .finalChatCompletion(),
  },
  {
    client: 'responses',
    fields: ['model', 'status', 'output', 'usage', 'incomplete_details'],
    read: () => openAi.responses.stream({ model: 'm', input: 'Hi' }).finalResponse(),
  },
]

function differences(seen: unknown, expected: unknown, fields: readonly string[]): string[] {
  return fields.flatMap((field) => {
    const [one, other] = [seen, expected].map((value) => plain(dig(value, field)))
    if (isDeepStrictEqual(one, other)) return []
    return [`${field}: ${JSON.stringify(one)} ≠ ${JSON.stringify(other)}`]
  })
}

/** Members that the clients add for convenience, and fields of other vendors of which they keep only the last piece. */
const notCompared = new Set([
  'parsed',
  'parsed_output',
  'parsed_arguments',
  'output_text',
  'reasoning_content',
  'reasoning_details',
  'extra_content',
  'images',
  'annotations',
  'cache_creation',
])

/** Treats null, empty text and absence as equal. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value === '' || value === null ? undefined : value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !notCompared.has(name))
      .map(([name, member]) => [name, plain(member)] as const)
      .filter(([, member]) => member !== undefined),
  )
}
