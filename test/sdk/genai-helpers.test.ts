import { beforeAll, describe, expect, test } from 'bun:test'
import { type CallableTool, GoogleGenAI, Type } from '@google/genai'
import { dig } from '../support/protocols/test-protocol.ts'
import { ask, prompt } from './fixture.ts'
import { withScriptedGateway } from './scripted-gateway.ts'
import { answers, oslo, rome, textOf } from './scripts/answer.ts'
import { scripts } from './scripts/scripts.ts'
import { toolWords, weatherSchema } from './sdk.ts'

const { gateway, say, sayStreamed, sent } = withScriptedGateway()

let client: GoogleGenAI
beforeAll(() => {
  const { url, keys } = gateway()
  client = new GoogleGenAI({ apiKey: keys.any, httpOptions: { baseUrl: url } })
})

describe.each(scripts)('over $protocol', (script) => {
  const { model } = ask(script)

  test('a chat keeps its history', async () => {
    say(script, answers.text)
    sayStreamed(script, answers.text)
    say(script, answers.text)
    const chat = client.chats.create({ model, config: { systemInstruction: 'Be brief.' } })
    expect((await chat.sendMessage({ message: 'My name is Ada.' })).text).toBe(textOf(answers.text))
    let told = ''
    for await (const { text } of await chat.sendMessageStream({ message: 'And?' })) {
      told += text ?? ''
    }
    expect(told).toBe(textOf(answers.text))
    await chat.sendMessage({ message: 'What is my name?' })
    const third = gateway().one.requests[2]?.body ?? ''
    for (const words of ['Be brief.', 'My name is Ada.', 'And?', 'What is my name?']) {
      expect(third).toContain(words)
    }
    expect(third.split(answers.text.pieces[0] ?? '')).toHaveLength(3)
  })

  test('a chat with automatic function calling', async () => {
    say(script, answers.parallel)
    say(script, answers.text)
    const { tool, inputs } = callable()
    const chat = client.chats.create({ model, config: { tools: [tool] } })
    expect((await chat.sendMessage({ message: prompt })).text).toBe(textOf(answers.text))
    expect(inputs).toEqual([rome.input, oslo.input])
    expect(script.readCalls(sent(2)).map(({ result }) => result)).toEqual(['result 1', 'result 2'])
  })

  test('automatic function calling', async () => {
    say(script, answers.thoughtAndCall)
    say(script, answers.text)
    const { tool, inputs } = callable()
    const config = { tools: [tool], thinkingConfig: { includeThoughts: true } }
    const response = await client.models.generateContent({ model, contents: prompt, config })
    expect(response.text).toBe(textOf(answers.text))
    expect(response.automaticFunctionCallingHistory).toHaveLength(3)
    expect(inputs).toEqual([rome.input])
    expect(script.readCalls(sent(2))).toEqual([{ ...rome, result: 'result 1' }])
  })

  test('automatic function calling, streamed', async () => {
    sayStreamed(script, answers.call)
    sayStreamed(script, answers.text)
    const { tool, inputs } = callable()
    const config = { tools: [tool] }
    const stream = await client.models.generateContentStream({ model, contents: prompt, config })
    const chunks = await Array.fromAsync(stream)
    const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
    expect(parts.map(({ text }) => text ?? '').join('')).toBe(textOf(answers.text))
    expect(inputs).toEqual([rome.input])
    expect(script.readCalls(sent(2))).toEqual([{ ...rome, result: 'result 1' }])
  })

  test('point 16: a schema in the older form, with upper-case types', async () => {
    say(script, answers.json)
    const response = await client.models.generateContent({
      model,
      contents: prompt,
      config: {
        responseMimeType: 'application/json',
        responseSchema: {
          type: Type.OBJECT,
          properties: {
            city: { type: Type.STRING, nullable: true },
            degrees: { type: Type.INTEGER },
          },
          required: ['city', 'degrees'],
          propertyOrdering: ['city', 'degrees'],
        },
      },
    })
    expect(response.text).toBe(textOf(answers.json))
    const schema = script.readSchema(sent(1))
    const isOwn = script.protocol === 'generate-content'
    expect(dig(schema, 'type')).toBe(isOwn ? 'OBJECT' : 'object')
    expect(dig(schema, 'properties', 'degrees', 'type')).toBe(isOwn ? 'INTEGER' : 'integer')
    const city = dig(schema, 'properties', 'city')
    if (!isOwn) expect(JSON.stringify(city)).toContain('"null"')
    expect(dig(schema, 'required')).toEqual(['city', 'degrees'])
  })

  test('point 16: a function in the older form', async () => {
    say(script, answers.call)
    const parameters = {
      type: Type.OBJECT,
      properties: { city: { type: Type.STRING }, days: { type: Type.INTEGER } },
      required: ['city'],
    }
    const tools = [{ functionDeclarations: [{ ...toolWords, parameters }] }]
    const config = { tools }
    const response = await client.models.generateContent({ model, contents: prompt, config })
    expect(response.functionCalls).toMatchObject([{ name: rome.name, args: rome.input }])
    if (script.protocol !== 'generate-content') {
      expect(gateway().one.requests[0]?.body).not.toContain('OBJECT')
    }
  })
})

/** A tool that the SDK calls automatically. */
function callable(): { tool: CallableTool; inputs: unknown[] } {
  const inputs: unknown[] = []
  const tool: CallableTool = {
    tool: async () => ({
      functionDeclarations: [{ ...toolWords, parametersJsonSchema: weatherSchema }],
    }),
    callTool: async (calls) =>
      calls.map(({ id, name = '', args }) => ({
        functionResponse: {
          ...(id === undefined ? {} : { id }),
          name,
          response: { result: `result ${inputs.push(args)}` },
        },
      })),
  }
  return { tool, inputs }
}
