import { describe, expect, test } from 'bun:test'
import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { type SendHttp, sendHttp } from '../../../src/http-out/outgoing-http.ts'
import { bearer, joinUrl, type Vendor } from '../../../src/vendors/vendor.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { overEach } from '../../support/protocols/over-each.ts'
import { greeting } from '../../support/protocols/test-protocol.ts'
import { allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'
import { soldBy } from './sold-by.ts'

/*
 * Usage that a vendor reports beyond its protocol is charged as its traits declare, streamed and not streamed, passed
 * through and translated. Fields that the traits do not declare are not read.
 */

/** Everything unusual about a vendor is in one object. */
const imaginary: Vendor = {
  name: 'imaginary',
  protocols: protocolNames,
  native: ['chat-completions'],
  baseUrl: undefined,
  url: ({ baseUrl, protocol, model, operation }) =>
    joinUrl(baseUrl, testProtocols[protocol].upstream.path(model, operation === 'stream')),
  headers: ({ credential }) => bearer(credential),
  modelsUrl: ({ baseUrl }) => joinUrl(baseUrl, '/models'),
  billsAbortedStreams: false,
  traits: () => ({
    replies: { usage: { extra: { input: ['library_tokens'], reasoning: ['muse_tokens'] } } },
  }),
  issuer: () => 'imaginary/model',
}

const odd = { library_tokens: 100, muse_tokens: 30, dream_tokens: 5_000 }
const totals = ['prompt_tokens', 'input_tokens', 'promptTokenCount']

/** The same JSON with odd members in each report of usage. */
function withOdd(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOdd)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, withOdd(member)])
  const isReport = totals.some((name) => name in value)
  return { ...Object.fromEntries(members), ...(isReport ? odd : {}) }
}

function withOddEvent(event: string): string {
  return event.replace(/^data: (\{.*)$/gm, (_, data: string) => {
    return `data: ${JSON.stringify(withOdd(parseJson(data)))}`
  })
}

describe('a vendor with odd usage fields', () => {
  const gateway = withGateway({ extend: soldBy(imaginary) })

  for (const isStream of [false, true]) {
    test.each(allProtocols)(
      `$name: ${isStream ? 'a stream' : 'a whole reply'} is billed by them`,
      (from) =>
        overEach(from, async ({ to }) => {
          const { ask, one, money } = gateway()
          const model = viaModel(to.name)
          const behaviour: Behaviour = isStream
            ? {
                kind: 'events',
                events: to.upstream.events(greeting).map(withOddEvent),
                end: 'clean',
              }
            : { kind: 'reply', body: JSON.stringify(withOdd(to.upstream.reply(greeting))) }
          one.script({ path: to.upstream.path(model, isStream).replace(/\?.*/, '') }, behaviour)
          const path = from.client.path(model, isStream)
          const reply = await ask({ key: 'any', path, body: from.client.body(model, isStream) })
          expect(reply.status).toBe(200)
          expect(await money.entry(reply.requestId)).toMatchObject({
            usage_source: 'upstream',
            flags: '',
            input_tokens: 700,
            cache_read_tokens: 400,
            output_tokens: 230,
            reasoning_tokens: 80,
            // 700 at 2.5, 400 at 1.25 and 230 at 10 US$ for a million.
            cost_nano: 4_550_000n,
          })
        }),
    )
  }
})

interface Service {
  readonly name: string
  readonly host: string
  /** The upstream's name of the model. */
  readonly model: string
  /** The usage in a whole reply and, if it is elsewhere in a stream, the last chunk of the stream. */
  readonly usage: JsonObject
  readonly lastChunk?: JsonObject
  readonly charged: JsonObject
}

const plain = { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 }
const finished = { index: 0, delta: {}, finish_reason: 'stop' }
const research = {
  prompt_tokens: 33,
  completion_tokens: 200,
  total_tokens: 233,
  citation_tokens: 20_016,
  reasoning_tokens: 3_000,
  num_search_queries: 18,
}

const services: readonly Service[] = [
  {
    name: 'Perplexity: citation tokens are input, reasoning comes on top',
    host: 'api.perplexity.ai',
    model: 'sonar-deep-research',
    usage: research,
    charged: { input_tokens: 20_049, output_tokens: 3_200, reasoning_tokens: 3_000, flags: '' },
  },
  {
    name: 'Perplexity: a plain answer has none of them',
    host: 'api.perplexity.ai',
    model: 'sonar-deep-research',
    usage: { ...plain, citation_tokens: null, reasoning_tokens: null },
    charged: { input_tokens: 1_000, output_tokens: 200, reasoning_tokens: 0, flags: '' },
  },
  {
    name: 'Perplexity: its other models do not bill citation tokens',
    host: 'api.perplexity.ai',
    model: 'sonar-pro',
    usage: { ...plain, citation_tokens: 20_016 },
    charged: { input_tokens: 1_000, output_tokens: 200, flags: '' },
  },
  {
    name: 'an unknown server is not charged for citation tokens on top',
    host: 'llm.example.test',
    model: 'some-model',
    usage: { ...plain, citation_tokens: 20_016 },
    charged: { input_tokens: 1_000, output_tokens: 200, flags: '' },
  },
  {
    name: 'DeepSeek: cache hits in its own field',
    host: 'api.deepseek.com',
    model: 'some-model',
    usage: { ...plain, prompt_cache_hit_tokens: 400, prompt_cache_miss_tokens: 600 },
    charged: { input_tokens: 600, cache_read_tokens: 400, output_tokens: 200, flags: '' },
  },
  {
    name: 'an unknown server: a known field for cache hits only divides the prompt',
    host: 'llm.example.test',
    model: 'some-model',
    usage: { ...plain, prompt_cache_hit_tokens: 400, prompt_cache_miss_tokens: 600 },
    charged: { input_tokens: 600, cache_read_tokens: 400, output_tokens: 200, flags: '' },
  },
  {
    name: 'Groq does not get a discount for DeepSeek’s field',
    host: 'api.groq.com',
    model: 'some-model',
    usage: { ...plain, prompt_cache_hit_tokens: 400, prompt_cache_miss_tokens: 600 },
    charged: { input_tokens: 1_000, cache_read_tokens: 0, output_tokens: 200, flags: '' },
  },
  {
    name: 'Groq: the usage of a stream is in its own member',
    host: 'api.groq.com',
    model: 'some-model',
    usage: plain,
    lastChunk: { choices: [finished], x_groq: { id: 'r', usage: plain } },
    charged: { input_tokens: 1_000, output_tokens: 200, flags: '' },
  },
  {
    name: 'Moonshot: cache hits beside the totals, the usage of a stream in its choice',
    host: 'api.moonshot.ai',
    model: 'some-model',
    usage: { ...plain, cached_tokens: 300 },
    lastChunk: { choices: [{ ...finished, usage: { ...plain, cached_tokens: 300 } }] },
    charged: { input_tokens: 700, cache_read_tokens: 300, output_tokens: 200, flags: '' },
  },
  {
    name: 'xAI: reasoning is beside the answer, whatever the total says',
    host: 'api.x.ai',
    model: 'some-model',
    usage: {
      prompt_tokens: 1_000,
      completion_tokens: 200,
      completion_tokens_details: { reasoning_tokens: 50 },
    },
    charged: { input_tokens: 1_000, output_tokens: 250, reasoning_tokens: 50, flags: '' },
  },
]

const idOf = ({ host, model }: Service) => `${host}-${model}`

describe('services with unusual usage reports', () => {
  const send: SendHttp = (request) =>
    sendHttp({ ...request, url: request.url.replace(/^https:\/\/[^/]+/, gateway().one.url) })
  const gateway = withGateway({
    send,
    extend: (provision) => {
      const [via] = provision.upstreams.filter(({ id }) => id === 'via-chat-completions')
      const [model] = provision.models.filter(({ id }) => id === viaModel('chat-completions'))
      if (!via || !model) throw new Error('there is no upstream to copy')
      const pairs = new Map(services.map((each) => [idOf(each), each]))
      return {
        ...provision,
        models: [...provision.models, ...[...pairs.keys()].map((id) => ({ ...model, id }))],
        upstreams: [
          ...provision.upstreams,
          ...[...pairs].map(([id, each]) => ({
            ...via,
            id,
            baseUrl: `https://${each.host}`,
            models: [{ model: id, upstreamModel: each.model }],
          })),
        ],
      }
    },
  })

  const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }
  const chunk = (extra: JsonObject) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...extra })}\n\n`

  for (const isStream of [false, true]) {
    for (const from of ['chat-completions', 'messages'] as const) {
      test.each(services)(
        `$name (${from}, ${isStream ? 'a stream' : 'whole'})`,
        async (service) => {
          const { usage, lastChunk, charged } = service
          const id = idOf(service)
          const { ask, one, money } = gateway()
          const behaviour: Behaviour = isStream
            ? {
                kind: 'events',
                events: [
                  chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }] }),
                  chunk(lastChunk ?? { choices: [finished], usage }),
                  'data: [DONE]\n\n',
                ],
                end: 'clean',
              }
            : {
                kind: 'reply',
                body: JSON.stringify({
                  id: 'c',
                  object: 'chat.completion',
                  choices: [choice],
                  usage,
                }),
              }
          one.script({ path: '/chat/completions' }, behaviour)
          const { client } = testProtocols[from]
          const path = client.path(id, isStream)
          const reply = await ask({ key: 'any', path, body: client.body(id, isStream) })
          expect(reply.status).toBe(200)
          const entry = await money.entry(reply.requestId)
          expect(entry).toMatchObject({ usage_source: 'upstream', ...charged })
        },
      )
    }
  }
})
