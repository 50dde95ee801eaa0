import { describe, expect, test } from 'bun:test'
import { viaModel } from '../support/gateway/test-provision.ts'
import { readEvents } from '../support/protocols/read-events.ts'
import { dig, list } from '../support/protocols/test-protocol.ts'
import { testProtocols } from '../support/protocols/test-protocols.ts'
import { geminiCliBody, snakeCaseBody } from './bodies/gemini-bodies.ts'
import { withScriptedGateway } from './scripted-gateway.ts'
import { answers, oslo, rome, textOf } from './scripts/answer.ts'
import { scripts } from './scripts/scripts.ts'

const { gateway, say, sayStreamed, sent } = withScriptedGateway()
const { client } = testProtocols['generate-content']

describe.each(scripts)('over $protocol', (script) => {
  const model = viaModel(script.protocol)
  const path = `/v1beta/models/${model}:generateContent`
  const streamPath = `/v1beta/models/${model}:streamGenerateContent?alt=sse`
  const isOwn = script.protocol === 'generate-content'

  test('points 3 and 13: gemini-cli, with tool calls of other models', async () => {
    sayStreamed(script, answers.thoughtAndCall)
    const reply = await gateway().ask({ key: 'any', path: streamPath, body: geminiCliBody })
    expect(reply.status).toBe(200)
    const parts = readEvents(reply.text).flatMap(({ data }) =>
      list(dig(data, 'candidates', 0, 'content', 'parts')),
    )
    const calls = parts.flatMap((part) => dig(part, 'functionCall') ?? [])
    expect(calls).toMatchObject([{ name: rome.name, args: rome.input }])
    if (!isOwn) expect(dig(calls[0], 'id')).toBeString()
    const received = gateway().one.requests[0]?.body ?? ''
    expect(received).toContain('You are an agent.')
    expect(received).toContain('Be brief.')
    expect(script.readCalls(sent(1), 'others')).toMatchObject([
      { input: { city: 'Rome' }, result: 'sunny' },
      { input: { city: 'Oslo' }, result: 'snow' },
    ])
    if (!isOwn) expect(received).not.toContain('skip_thought_signature_validator')
  })

  test('point 16: snake case, single objects, upper-case types', async () => {
    say(script, { calls: [rome] })
    const reply = await gateway().ask({ key: 'any', path, body: snakeCaseBody })
    expect(reply.status).toBe(200)
    expect(client.callIds(reply.json).length).toBe(isOwn ? 0 : 1)
    if (isOwn) return
    expect(script.readSystem(sent(1))).toBe('Be brief.')
    expect(script.readImages(sent(1))).toEqual([{ mime: 'image/png', data: 'iVBORw0KGgo=' }])
    expect(script.readChoice(sent(1))).toBe('must')
    expect(script.readLimit(sent(1))).toBe(500)
    expect(gateway().one.requests[0]?.body).not.toContain('OBJECT')
  })

  test('results without ids are matched to the calls in order', async () => {
    say(script, answers.text)
    const callPart = ({ name, input }: typeof rome) => ({ functionCall: { name, args: input } })
    const resultPart = (result: string) => ({
      functionResponse: { name: 'get_weather', response: { result } },
    })
    const contents = [
      { role: 'user', parts: [{ text: 'How is the weather?' }] },
      { role: 'model', parts: [callPart(rome), callPart(oslo)] },
      // The rest of a stream's last chunk when a client stores its chunks as turns.
      { role: 'model', parts: [{ text: '' }] },
      { role: 'user', parts: [resultPart('sunny'), resultPart('snow')] },
    ]
    const reply = await gateway().ask({ key: 'any', path, body: { contents } })
    expect(client.textOf(reply.json)).toBe(textOf(answers.text))
    const received = gateway().one.requests[0]?.body ?? ''
    expect(received).not.toContain('no result')
    expect(script.readCalls(sent(1), 'others')).toEqual([
      { ...rome, result: 'sunny' },
      { ...oslo, result: 'snow' },
    ])
  })

  test('without alt=sse the stream is one JSON array', async () => {
    sayStreamed(script, answers.text)
    const list = `/v1beta/models/${model}:streamGenerateContent`
    const body = { contents: [{ role: 'user', parts: [{ text: 'Good morning' }] }] }
    // An upstream of the same protocol is always asked for events.
    const reply = await gateway().ask({ key: 'any', path: list, body })
    const chunks: unknown = JSON.parse(reply.text)
    if (!Array.isArray(chunks)) throw new Error('the reply is not a list')
    expect(chunks.map((chunk) => client.textOf(chunk)).join('')).toBe(textOf(answers.text))
    expect(dig(chunks, -1, 'candidates', 0, 'finishReason')).toBe('STOP')
  })
})
