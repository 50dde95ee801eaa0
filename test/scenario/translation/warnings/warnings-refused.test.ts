import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../../src/core/neutral/protocol-name.ts'
import { withGateway } from '../../../support/gateway/with-gateway.ts'
import { type Asked, askRow, expectRefused } from './warnings-helpers.ts'

/** Groups that allow what other checks would refuse first: requests that no upstream can get are still refused. */
const gateway = withGateway({
  extend: (provision) => ({
    ...provision,
    groups: provision.groups.map((group) => ({
      ...group,
      unpricedFeatures: 'token_price',
      sharedObjects: 'allow',
    })),
  }),
})
const chat = 'chat-completions'
const gen = 'generate-content'

describe('requests that are refused in every group', () => {
  const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
  const image = (id: string) => ({ type: 'input_image', file_id: id })
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const rows: (Asked & { name: string; to: readonly ProtocolName[]; field: unknown })[] = [
    {
      name: 'two answers',
      from: chat,
      to: ['responses', 'messages'],
      fields: { n: 2 },
      field: 'n',
    },
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
        contents: [
          { role: 'user', parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] },
        ],
      },
      field: expect.stringMatching(/^contents/),
    },
    {
      name: 'a file of OpenAI',
      from: chat,
      to: ['messages', gen],
      fields: {
        messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
      },
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
      name: 'a choice of a missing tool',
      from: chat,
      to: ['responses', 'messages', gen],
      fields: {
        tools: [{ type: 'function', function: { name: 'here', parameters: schema } }],
        tool_choice: { type: 'function', function: { name: 'elsewhere' } },
      },
      field: expect.stringMatching(/^tool_choice/),
    },
    {
      name: 'a conversation stored at the upstream',
      from: 'responses',
      to: [chat, 'messages', gen],
      fields: { conversation: 'conv_1' },
      field: 'conversation',
    },
  ]
  for (const { name, from, to, fields, field } of rows) {
    for (const upstream of to) {
      test(`${name}: ${from} over ${upstream}`, async () => {
        const lenient = await askRow(gateway(), 'any', { from, fields }, upstream)
        const strict = await askRow(gateway(), 'strict', { from, fields }, upstream)
        expect(lenient.text).not.toContain('group is strict')
        const replies = [lenient, strict]
        await Promise.all(replies.map((reply) => expectRefused(gateway(), reply, from, field)))
      })
    }
  }
})
