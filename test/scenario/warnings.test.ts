import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../src/core/protocol-name.ts'
import { isObject, type JsonObject, parseJson } from '../../src/wire/json.ts'
import type { Reply } from '../support/gateway/ask.ts'
import { type KeyName, viaModel } from '../support/gateway/test-provision.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'
import { greeting, greetingText } from '../support/tongues/tongue.ts'
import { tongues } from '../support/tongues/tongues.ts'

const gateway = withGateway()
const chat = 'chat-completions'
const gen = 'generate-content'

interface Row {
  readonly from: ProtocolName
  readonly to: readonly ProtocolName[]
  /** Added to the usual request; `generationConfig` is added to its own. */
  readonly fields: JsonObject
  readonly warning: string
  /** A word that the upstream's body must not hold. */
  readonly gone?: string
}

function bodyOf({ from, fields }: Pick<Row, 'from' | 'fields'>, model: string, isStream: boolean) {
  const body = tongues[from].client.body(model, isStream)
  const config = fields['generationConfig']
  if (!isObject(config)) return { ...body, ...fields }
  return { ...body, ...fields, generationConfig: { maxOutputTokens: 1_000, ...config } }
}

async function askRow(key: KeyName, row: Pick<Row, 'from' | 'fields'>, to: ProtocolName) {
  const { ask, one } = gateway()
  const model = viaModel(to)
  const body = JSON.stringify(tongues[to].upstream.reply(greeting))
  one.script('next', { kind: 'reply', body })
  const path = tongues[row.from].client.path(model, false)
  return ask({ key, path, body: bodyOf(row, model, false) })
}

function each(rows: readonly Row[]) {
  return rows.flatMap((row) =>
    row.to.map((to) => ({ ...row, to, title: `${row.from} over ${to}: ${row.warning}` })),
  )
}

/** Refused before anything was sent, naming the client's own field, and free of charge. */
async function expectRefused(reply: Reply, from: ProtocolName, field: unknown) {
  const { one, money } = gateway()
  expect(reply.status).toBe(400)
  const told = tongues[from].client.readFault(reply.json)
  expect(told).toMatchObject({ reason: 'invalid_request', message: expect.any(String) })
  // The messages protocol has no place for it but the message.
  if (from !== 'messages') expect(told.field).toEqual(field)
  expect(reply.headers.get('x-gateway-warnings')).toBeNull()
  expect(one.requests).toHaveLength(0)
  expect(await money.usageRow(reply.requestId)).toMatchObject({
    status: 400,
    reason: 'invalid_request',
    cost_nano: 0n,
    warnings: null,
  })
  expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
}

/** The answer would be another one. */
const lossy: Row[] = [
  { from: chat, to: ['responses'], fields: { stop: ['END'] }, warning: 'stop_dropped', gone: 'END' },
  { from: chat, to: ['responses', 'messages'], fields: { seed: 7 }, warning: 'seed_dropped', gone: 'seed' },
  {
    from: chat,
    to: ['responses', 'messages', gen],
    fields: { logit_bias: { 50256: -100 } },
    warning: 'logit_bias_dropped',
    gone: '50256',
  },
  {
    from: chat,
    to: ['responses', 'messages'],
    fields: { frequency_penalty: 0.5 },
    warning: 'frequency_penalty_dropped',
    gone: 'penalty',
  },
  {
    from: chat,
    to: ['responses', 'messages'],
    fields: { presence_penalty: 0.5 },
    warning: 'presence_penalty_dropped',
    gone: 'penalty',
  },
  { from: chat, to: ['messages'], fields: { logprobs: true }, warning: 'logprobs_dropped', gone: 'logprobs' },
  { from: chat, to: ['messages'], fields: { temperature: 1.5 }, warning: 'temperature_clamped', gone: '1.5' },
  // A model that reasons takes none.
  { from: chat, to: ['responses'], fields: { temperature: 0.3 }, warning: 'temperature_dropped', gone: '0.3' },
  {
    from: chat,
    to: ['messages'],
    fields: { response_format: { type: 'json_object' } },
    warning: 'response_format_as_instruction',
    gone: 'json_object',
  },
  { from: 'responses', to: ['messages'], fields: { top_logprobs: 3 }, warning: 'top_logprobs_dropped' },
  { from: 'responses', to: ['messages'], fields: { temperature: 2 }, warning: 'temperature_clamped' },
  { from: 'messages', to: ['responses'], fields: { stop_sequences: ['END'] }, warning: 'stop_sequences_dropped', gone: 'END' },
  { from: 'messages', to: [chat, 'responses'], fields: { top_k: 5 }, warning: 'top_k_dropped', gone: 'top_k' },
  {
    from: gen,
    to: [chat, 'responses'],
    fields: { generationConfig: { topK: 5 } },
    warning: 'generationConfig.topK_dropped',
    gone: 'top_k',
  },
  {
    from: gen,
    to: ['responses'],
    fields: { generationConfig: { stopSequences: ['END'] } },
    warning: 'generationConfig.stopSequences_dropped',
    gone: 'END',
  },
  {
    from: gen,
    to: ['responses', 'messages'],
    fields: { generationConfig: { seed: 7 } },
    warning: 'generationConfig.seed_dropped',
    gone: 'seed',
  },
]

/** Nobody would tell the difference. */
const harmless: Row[] = [
  { from: chat, to: ['messages', gen], fields: { metadata: { a: 'b' } }, warning: 'metadata_dropped', gone: '"b"' },
  { from: chat, to: ['messages', gen], fields: { prompt_cache_key: 'k7' }, warning: 'prompt_cache_key_dropped', gone: 'k7' },
  { from: chat, to: ['messages', gen], fields: { service_tier: 'flex' }, warning: 'service_tier_dropped', gone: 'flex' },
  { from: chat, to: [gen], fields: { user: 'u7' }, warning: 'user_dropped', gone: 'u7' },
  { from: 'responses', to: ['messages', gen], fields: { prompt_cache_key: 'k7' }, warning: 'prompt_cache_key_dropped', gone: 'k7' },
  { from: 'messages', to: [gen], fields: { metadata: { user_id: 'u7' } }, warning: 'metadata.user_id_dropped', gone: 'u7' },
  {
    from: 'messages',
    to: ['responses', gen],
    fields: { system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }] },
    warning: 'cache_control_dropped',
    gone: 'ephemeral',
  },
]

describe('what cannot be said to an upstream', () => {
  for (const row of each([...lossy, ...harmless])) {
    test(`${row.title}, in a lenient group: a warning`, async () => {
      const { one, money } = gateway()
      const reply = await askRow('any', row, row.to)
      expect(reply.status).toBe(200)
      expect(tongues[row.from].client.textOf(reply.json)).toBe(greetingText)
      expect(reply.headers.get('x-gateway-warnings')).toBe(row.warning)
      expect((await money.usageRow(reply.requestId)).warnings).toBe(row.warning)
      if (row.gone) expect(one.requests[0]?.body).not.toContain(row.gone)
    })
  }

  for (const row of each(lossy)) {
    test(`${row.title}, in a strict group: a refusal`, async () => {
      const reply = await askRow('strict', row, row.to)
      const field = row.warning.replace(/_[a-z]+(?:_[a-z]+)?$/, '')
      await expectRefused(reply, row.from, expect.stringMatching(new RegExp(`^${field}`)))
      expect(reply.text).toContain('strict')
      expect(reply.text).toContain(`\\"${field}`)
    })
  }

  for (const row of each(harmless)) {
    test(`${row.title}, in a strict group: a warning as well`, async () => {
      const reply = await askRow('strict', row, row.to)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('x-gateway-warnings')).toBe(row.warning)
    })
  }

  test('several warnings stand in one header, in streams as well', async () => {
    const { ask, one, money } = gateway()
    const model = viaModel('messages')
    const events = tongues.messages.upstream.events(greeting)
    one.script('next', { kind: 'events', events, end: 'clean' })
    const fields = { seed: 7, logprobs: true, temperature: 1.5 }
    const reply = await ask({ key: 'any', body: bodyOf({ from: chat, fields }, model, true) })
    expect(reply.status).toBe(200)
    const header = reply.headers.get('x-gateway-warnings') ?? ''
    const expected = ['logprobs_dropped', 'seed_dropped', 'temperature_clamped']
    expect(header.split(', ').sort()).toEqual(expected)
    const { warnings } = await money.usageRow(reply.requestId)
    expect(warnings?.split(',').sort()).toEqual(expected)
  })

  test('a field that nobody knows is named, and its name cannot break the header', async () => {
    const name = 'unheard\r\nx-evil: 1, ü🌍'
    const fields = { unheard: 1, [name]: 2 }
    const reply = await askRow('any', { from: chat, fields }, 'messages')
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-evil')).toBeNull()
    const header = reply.headers.get('x-gateway-warnings') ?? ''
    expect(header).toContain('unheard_dropped')
    expect(header).toMatch(/^[A-Za-z0-9_.,\x20-]+$/)
    const refused = await askRow('strict', { from: chat, fields: { unheard: 1 } }, 'messages')
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('unheard')
  })

  test('a thousand unknown fields do not make a header that nobody takes', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => [`unheard_of_${index}`, index])
    const reply = await askRow('any', { from: chat, fields: Object.fromEntries(names) }, 'messages')
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-gateway-warnings')?.length).toBeLessThan(4_000)
  })

  test('between two sides of one protocol there is nothing to warn of, strict or not', async () => {
    for (const key of ['any', 'strict'] as const) {
      const fields = { seed: 7, logit_bias: { 50256: -100 }, unheard: { a: [1.5] } }
      const reply = await askRow(key, { from: chat, fields }, chat)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('x-gateway-warnings')).toBeNull()
      const [sent] = gateway().one.requests.slice(-1)
      expect(parseJson(sent?.body ?? '')).toMatchObject(fields)
    }
  })
})

describe('what is refused in every group', () => {
  const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
  const image = (id: string) => ({ type: 'input_image', file_id: id })
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const rows: (Omit<Row, 'warning'> & { name: string; field: unknown })[] = [
    { name: 'two answers', from: chat, to: ['responses', 'messages'], fields: { n: 2 }, field: 'n' },
    {
      name: 'two candidates',
      from: gen,
      to: ['responses', 'messages'],
      fields: { generationConfig: { candidateCount: 2 } },
      field: 'generationConfig.candidateCount',
    },
    {
      name: 'audio',
      from: chat,
      to: ['messages'],
      fields: { messages: [{ role: 'user', content: [audio] }] },
      field: expect.stringMatching(/^messages/),
    },
    {
      name: 'video',
      from: gen,
      to: [chat, 'responses', 'messages'],
      fields: {
        contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] }],
      },
      field: expect.stringMatching(/^contents/),
    },
    {
      name: 'a file of OpenAI',
      from: chat,
      to: ['messages', gen],
      fields: { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      field: expect.stringMatching(/^messages/),
    },
    {
      name: 'an image of OpenAI',
      from: 'responses',
      to: ['messages', gen],
      fields: { input: [{ role: 'user', content: [image('file-1')] }] },
      field: expect.stringMatching(/^input/),
    },
    {
      name: 'a file of Anthropic',
      from: 'messages',
      to: [chat, 'responses', gen],
      fields: {
        messages: [
          {
            role: 'user',
            content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }],
          },
        ],
      },
      field: expect.stringMatching(/^messages/),
    },
    {
      name: 'a hosted tool',
      from: 'responses',
      to: [chat, 'messages', gen],
      fields: { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
      field: expect.stringMatching(/^tools/),
    },
    {
      name: 'a hosted tool of Google',
      from: gen,
      to: [chat, 'responses', 'messages'],
      fields: { tools: [{ codeExecution: {} }] },
      field: expect.stringMatching(/^tools/),
    },
    {
      name: 'a hosted tool that must be called',
      from: 'responses',
      to: [chat, 'messages', gen],
      fields: {
        tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }],
        tool_choice: { type: 'file_search' },
      },
      field: expect.stringMatching(/^tool/),
    },
    {
      name: 'a choice of a tool that is not there',
      from: chat,
      to: ['responses', 'messages', gen],
      fields: {
        tools: [{ type: 'function', function: { name: 'here', parameters: schema } }],
        tool_choice: { type: 'function', function: { name: 'elsewhere' } },
      },
      field: expect.stringMatching(/^tool_choice/),
    },
    {
      name: 'a run in the background',
      from: 'responses',
      to: [chat, 'messages', gen],
      fields: { background: true },
      field: 'background',
    },
    {
      name: 'a conversation kept elsewhere',
      from: 'responses',
      to: [chat, 'messages', gen],
      fields: { conversation: 'conv_1' },
      field: 'conversation',
    },
  ]
  for (const { name, from, to, fields, field } of rows) {
    for (const upstream of to) {
      test(`${name}: ${from} over ${upstream}`, async () => {
        for (const key of ['any', 'strict'] as const) {
          const reply = await askRow(key, { from, fields }, upstream)
          await expectRefused(reply, from, field)
          expect(reply.text).not.toContain('this service group is strict')
        }
      })
    }
  }
})
