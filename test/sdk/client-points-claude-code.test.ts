import { describe, expect, test } from 'bun:test'
import { viaModel } from '../support/gateway/test-provision.ts'
import { readEvents } from '../support/protocols/read-events.ts'
import { dig, texts } from '../support/protocols/test-protocol.ts'
import { testProtocols } from '../support/protocols/test-protocols.ts'
import {
  claudeCodeBody,
  claudeCodeHeaders,
  claudeCodeTitleBody,
} from './bodies/claude-code-body.ts'
import { withScriptedGateway } from './scripted-gateway.ts'
import { answers, textOf } from './scripts/answer.ts'
import { scripts } from './scripts/scripts.ts'

const { gateway, sayStreamed, sent } = withScriptedGateway()
const { client } = testProtocols.messages
const question = {
  key: 'any',
  path: '/v1/messages?beta=true',
  headers: claudeCodeHeaders,
} as const

describe.each(scripts)('point 10: Claude Code over $protocol', (script) => {
  const model = viaModel(script.protocol)
  const body = claudeCodeBody(model)

  test('a request of 85 kB with every field that it sends', async () => {
    const { ask, one } = gateway()
    expect(JSON.stringify(body).length).toBeGreaterThan(85_000)
    sayStreamed(script, answers.text)
    const reply = await ask({ ...question, body })
    expect(reply.status).toBe(200)
    const events = readEvents(reply.text)
    expect(client.streamedText(events)).toBe(textOf(answers.text))
    expect(client.countEnds(events)).toBe(1)
    const received = one.requests[0]?.body ?? ''
    const order = [
      'List the files.',
      'answer in English',
      'I will look.',
      'README.md\\nsrc',
      'And now?',
      'The user opened README.md.',
    ].map((words) => received.indexOf(words))
    expect(order.every((at) => at > 0)).toBe(true)
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(received).toContain('You are a coding agent.')
    expect(script.readTools(sent(1))).toHaveLength(30)
    expect(script.readLimit(sent(1))).toBe(16_384)
  })

  test('no unknown field reaches an upstream of another protocol', async () => {
    const { ask, one } = gateway()
    sayStreamed(script, answers.text)
    await ask({ ...question, body })
    const [request] = one.requests
    if (script.protocol === 'messages') {
      expect(request?.headers['anthropic-beta']).toBe(claudeCodeHeaders['anthropic-beta'])
      expect(sent(1)).toMatchObject({ context_management: body['context_management'] })
      return
    }
    expect(request?.body).not.toContain('cache_control')
    expect(request?.body).not.toContain('defer_loading')
    expect(request?.body).not.toContain('context_management')
    expect(request?.headers).not.toHaveProperty('anthropic-beta')
    expect(request?.headers).not.toHaveProperty('x-app')
  })

  test('a tool call is streamed with its input', async () => {
    const input = { command: 'cat README.md', timeout: 1_000 }
    sayStreamed(script, { pieces: ['Let me see.'], calls: [{ name: 'Bash', input }] })
    const reply = await gateway().ask({ ...question, body })
    const events = readEvents(reply.text)
    const started = events.filter(({ event }) => event === 'content_block_start')
    expect(started.map(({ data }) => dig(data, 'content_block', 'type'))).toEqual([
      'text',
      'tool_use',
    ])
    expect(dig(started[1]?.data, 'content_block', 'name')).toBe('Bash')
    const pieces = texts(events.map(({ data }) => dig(data, 'delta', 'partial_json')))
    expect(JSON.parse(pieces)).toEqual(input)
    const end = events.find(({ event }) => event === 'message_delta')
    expect(dig(end?.data, 'delta', 'stop_reason')).toBe('tool_use')
  })

  test('the request for a session title', async () => {
    sayStreamed(script, { pieces: ['{"title":', '"Files"}'] })
    const reply = await gateway().ask({ ...question, body: claudeCodeTitleBody(model) })
    expect(reply.status).toBe(200)
    expect(client.streamedText(readEvents(reply.text))).toBe('{"title":"Files"}')
    expect(dig(script.readSchema(sent(1)), 'required')).toEqual(['title'])
  })

  test('counting the tokens of a session', async () => {
    const { max_tokens: _limit, stream: _stream, ...counted } = body
    const path = '/v1/messages/count_tokens?beta=true'
    const reply = await gateway().ask({ ...question, path, body: counted })
    expect(reply.status).toBe(200)
    expect(reply.json['input_tokens']).toBeNumber()
  })
})
