import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/wire/json.ts'
import type { Reply } from '../support/gateway/ask.ts'
import { viaModel } from '../support/gateway/test-provision.ts'
import { dig } from '../support/protocols/test-protocol.ts'
import { testProtocols } from '../support/protocols/test-protocols.ts'
import { emptyBodies, greedyBodies, hostedBodies, type OddBody } from './bodies/odd-bodies.ts'
import { withScriptedGateway } from './scripted-gateway.ts'
import { answers, oslo, rome, type Script, textOf } from './scripts/answer.ts'
import { scripts } from './scripts/scripts.ts'

const { gateway, say, sent } = withScriptedGateway()
const prompt = 'How is the weather in Rome?'
const outputTokensMax = 16_384

function rowsOf(bodies: readonly OddBody[]) {
  return bodies.flatMap((odd) =>
    scripts.map((script) => ({
      ...odd,
      script,
      title: `${odd.name}, ${odd.protocol} over ${script.protocol}`,
    })),
  )
}

async function askOddly({ protocol, body }: OddBody, script: Script): Promise<Reply> {
  const { client } = testProtocols[protocol]
  const model = viaModel(script.protocol)
  const named = protocol === 'generate-content' ? body : { model, ...body }
  const path = client.path(model, false)
  return gateway().ask({ key: 'any', path, body: named })
}

describe('point 12: hosted tools beside functions', () => {
  test.each(rowsOf(hostedBodies))('$title', async ({ script, ...odd }) => {
    const { client } = testProtocols[odd.protocol]
    say(script, answers.call)
    const reply = await askOddly(odd, script)
    expect(reply.status).toBe(200)
    expect(script.readTools(sent(1)).filter((name) => name === 'get_weather')).toHaveLength(1)
    const isOwn = odd.protocol === script.protocol
    if (!isOwn || odd.protocol !== 'generate-content') {
      expect(client.callIds(reply.json)).toHaveLength(1)
    }
    // Searches exist everywhere except at chat servers, and at Gemini 2.5 beside functions.
    const isSearched = isOwn || ['responses', 'messages'].includes(script.protocol)
    const offered = JSON.stringify(dig(sent(1), 'tools'))
    expect(/"(web_search|web_search_20250305|googleSearch)"/.test(offered)).toBe(isSearched)
    const warnings = reply.headers.get('x-gateway-warnings') ?? ''
    expect(/(web_search|googleSearch)_dropped/.test(warnings)).toBe(!isSearched)
    expect(testProtocols[script.protocol].upstream.promptOf(sent(1))).toBe(prompt)
  })
})

describe('point 16: null, empty and older forms', () => {
  test.each(rowsOf(emptyBodies))('$title', async ({ script, ...odd }) => {
    say(script, answers.text)
    const reply = await askOddly(odd, script)
    expect(reply.status).toBe(200)
    expect(testProtocols[odd.protocol].client.textOf(reply.json)).toBe(textOf(answers.text))
    expect(testProtocols[script.protocol].upstream.promptOf(sent(1))).toBe(prompt)
    if (odd.protocol !== script.protocol) {
      expect(gateway().one.requests[0]?.body).not.toContain(':null')
    }
  })

  test.each(scripts)('functions and function_call over $protocol', async (script) => {
    const { ask } = gateway()
    const functions = [
      {
        name: 'get_weather',
        description: 'The weather.',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    ]
    const first: JsonObject = {
      model: viaModel(script.protocol),
      messages: [{ role: 'user', content: prompt }],
      functions,
      function_call: { name: 'get_weather' },
    }
    say(script, answers.call)
    const reply = await ask({ key: 'any', body: first })
    expect(reply.status).toBe(200)
    const message = dig(reply.json, 'choices', 0, 'message')
    const isOwn = script.protocol === 'chat-completions'
    // An upstream of the same protocol gets the older fields; others get the reply in the format of the request.
    if (isOwn) expect(sent(1)).toMatchObject({ functions })
    else {
      expect(dig(message, 'function_call', 'name')).toBe('get_weather')
      expect(JSON.parse(String(dig(message, 'function_call', 'arguments')))).toEqual(rome.input)
      expect(dig(reply.json, 'choices', 0, 'finish_reason')).toBe('function_call')
      expect(script.readChoice(sent(1))).toBe('get_weather')
    }
    const call = { name: 'get_weather', arguments: JSON.stringify(rome.input) }
    const messages = [
      { role: 'user', content: prompt },
      { role: 'assistant', content: null, function_call: call },
      { role: 'function', name: 'get_weather', content: 'sunny' },
    ]
    say(script, answers.text)
    const second = await ask({ key: 'any', body: { ...first, messages, function_call: 'auto' } })
    expect(dig(second.json, 'choices', 0, 'message', 'content')).toBe(textOf(answers.text))
    if (isOwn) return
    expect(script.readCalls(sent(2), 'others')).toEqual([{ ...rome, result: 'sunny' }])
  })

  test.each(scripts)('instructor’s json_object with a schema over $protocol', async (script) => {
    say(script, answers.json)
    const schema = { type: 'object', properties: { city: { type: 'string' } } }
    const reply = await gateway().ask({
      key: 'any',
      body: {
        model: viaModel(script.protocol),
        messages: [
          { role: 'system', content: 'Answer in JSON.' },
          { role: 'user', content: prompt },
        ],
        response_format: { type: 'json_object', schema },
      },
    })
    expect(reply.status).toBe(200)
    expect(dig(reply.json, 'choices', 0, 'message', 'content')).toBe(textOf(answers.json))
  })

  test.each(scripts)('both output limits at once over $protocol', async (script) => {
    say(script, answers.text)
    const messages = [{ role: 'user', content: prompt }]
    const limits = { max_tokens: 300, max_completion_tokens: 300 }
    const body = { model: viaModel(script.protocol), messages, ...limits }
    expect((await gateway().ask({ key: 'any', body })).status).toBe(200)
    expect(script.readLimit(sent(1))).toBe(300)
  })
})

describe('point 17: an output limit above the model’s', () => {
  test.each(rowsOf(greedyBodies))('$title', async ({ script, ...odd }) => {
    say(script, answers.text)
    const reply = await askOddly(odd, script)
    expect(reply.status).toBe(200)
    expect(script.readLimit(sent(1))).toBe(outputTokensMax)
  })

  test.each(scripts)(
    'Kimi’s tool results as arrays, and again as a user message, over $protocol',
    async (script) => {
      say(script, answers.text)
      const call = ({ name, input }: typeof rome, id: string) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      })
      const output = (id: string, text: string) => ({
        type: 'function_call_output',
        call_id: id,
        output: [{ type: 'input_text', text }],
      })
      const reply = await gateway().ask({
        key: 'any',
        path: '/v1/responses',
        body: {
          model: viaModel(script.protocol),
          max_output_tokens: 200_000,
          input: [
            { role: 'user', content: prompt },
            call(rome, 'get_weather:0'),
            call(oslo, 'get_weather:1'),
            output('get_weather:0', 'sunny'),
            output('get_weather:1', 'snow'),
            { role: 'user', content: [{ type: 'input_text', text: 'As I said: snow.' }] },
          ],
        },
      })
      expect(testProtocols.responses.client.textOf(reply.json)).toBe(textOf(answers.text))
      expect(script.readCalls(sent(1), 'others')).toEqual([
        { ...rome, result: 'sunny' },
        { ...oslo, result: 'snow' },
      ])
      const received = gateway().one.requests[0]?.body ?? ''
      expect(received.indexOf('As I said')).toBeGreaterThan(received.indexOf('sunny'))
    },
  )
})
