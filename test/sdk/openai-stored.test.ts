import { beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { BadRequestError, NotFoundError } from 'openai'
import { dig } from '../support/protocols/test-protocol.ts'
import { ask, prompt } from './fixture.ts'
import { withScriptedGateway } from './scripted-gateway.ts'
import { answers, rome, textOf } from './scripts/answer.ts'
import { scripts } from './scripts/scripts.ts'
import { toolWords, weatherSchema } from './sdk.ts'

const { gateway, say, sayStreamed, sent } = withScriptedGateway()

let client: OpenAI
let stranger: OpenAI
beforeAll(() => {
  const { url, keys } = gateway()
  client = new OpenAI({ apiKey: keys.any, baseURL: `${url}/v1`, maxRetries: 0 })
  stranger = new OpenAI({ apiKey: keys.strict, baseURL: `${url}/v1`, maxRetries: 0 })
})

/** An upstream of the same protocol stores responses itself; the gateway stores them for all others. */
const keeping = scripts.filter(({ protocol }) => protocol !== 'responses')

describe.each(keeping)(
  'responses stored by the gateway, with an upstream of $protocol',
  (script) => {
    const { model } = ask(script)
    const tool = {
      type: 'function' as const,
      ...toolWords,
      parameters: weatherSchema,
      strict: true,
    }

    test.each([{ isStream: false }, { isStream: true }])(
      'previous_response_id adds the earlier turns, stream $isStream',
      async ({ isStream }) => {
        const tell = isStream ? sayStreamed : say
        tell(script, answers.call)
        tell(script, answers.text)
        tell(script, answers.text)
        const first = await create({ model, input: prompt, tools: [tool] }, isStream)
        const call = first.output.find((item) => item.type === 'function_call')
        const second = await create(
          {
            model,
            previous_response_id: first.id,
            tools: [tool],
            input: [
              { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'sunny' },
            ],
          },
          isStream,
        )
        expect(second.previous_response_id).toBe(first.id)
        expect(script.readCalls(sent(2))).toEqual([{ ...rome, result: 'sunny' }])
        await create({ model, previous_response_id: second.id, input: 'Thanks.' }, isStream)
        const third = gateway().one.requests[2]?.body ?? ''
        for (const words of [prompt, 'sunny', answers.text.pieces[0] ?? '', 'Thanks.']) {
          expect(third).toContain(words)
        }
      },
    )

    test('a response can be read and deleted', async () => {
      say(script, answers.text)
      const { id } = await client.responses.create({ model, input: prompt })
      const again = await client.responses.retrieve(id)
      expect(again).toMatchObject({ id, status: 'completed', output_text: textOf(answers.text) })
      const items = await Array.fromAsync(client.responses.inputItems.list(id))
      expect(items.map((item) => dig(item, 'content', 0, 'text'))).toEqual([prompt])
      await expectNotFound(stranger, id)
      await client.responses.delete(id)
      await expectNotFound(client, id)
      const asked = client.responses.create({ model, input: 'And?', previous_response_id: id })
      const error = await asked.catch((cause: unknown) => cause)
      if (!(error instanceof BadRequestError)) throw new Error('it did not fail', { cause: error })
      expect(error).toMatchObject({
        code: 'previous_response_not_found',
        param: 'previous_response_id',
      })
    })

    test('items can be referred to without their response', async () => {
      const { one } = gateway()
      for (const isKept of [true, false]) {
        say(script, answers.text)
        say(script, answers.text)
        const first = await client.responses.create({ model, input: prompt, store: isKept })
        const reference = { type: 'item_reference' as const, id: first.output[0]?.id ?? '' }
        const input = [reference, { role: 'user' as const, content: 'And?' }]
        const others = await stranger.responses
          .create({ model, input })
          .catch((cause: unknown) => cause)
        expect(others).toBeInstanceOf(BadRequestError)
        const own = await client.responses.create({ model, input }).catch((cause: unknown) => cause)
        if (!isKept) expect(own).toBeInstanceOf(BadRequestError)
        else {
          expect(dig(own, 'status')).toBe('completed')
          const received = one.requests[1]?.body ?? ''
          expect(received.split(textOf(answers.text))).toHaveLength(2)
          expect(received).not.toContain(prompt)
        }
        expect(one.requests).toHaveLength(isKept ? 2 : 1)
        one.reset()
      }
    })

    test('a response with store: false is not stored', async () => {
      say(script, answers.text)
      const response = await client.responses.create({ model, input: prompt, store: false })
      expect(response).toMatchObject({ store: false })
      await expectNotFound(client, response.id)
    })
  },
)

describe('responses stored by their upstream', () => {
  const [, script] = scripts
  if (script?.protocol !== 'responses') throw new Error('the table has another order')
  const { model } = ask(script)

  test('the id is passed through, and so are reads and deletes', async () => {
    const { one } = gateway()
    say(script, answers.text)
    say(script, answers.text)
    const { id } = await client.responses.create({ model, input: prompt })
    await client.responses.create({ model, input: 'And?', previous_response_id: id })
    expect(sent(2)).toMatchObject({ previous_response_id: id, input: 'And?' })
    say(script, answers.text)
    expect((await client.responses.retrieve(id)).output_text).toBe(textOf(answers.text))
    await expectNotFound(stranger, id)
    one.script('next', { kind: 'reply', body: JSON.stringify({ id, deleted: true }) })
    await client.responses.delete(id)
    expect(one.requests.slice(2).map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /v1/responses/${id}`,
      `DELETE /v1/responses/${id}`,
    ])
    await expectNotFound(client, id)
  })
})

type Body = Omit<Parameters<OpenAI['responses']['create']>[0], 'stream'>

async function create(body: Body, isStream: boolean): Promise<OpenAI.Responses.Response> {
  if (!isStream) return client.responses.create(body)
  return client.responses.stream(body).finalResponse()
}

async function expectNotFound(asking: OpenAI, id: string): Promise<void> {
  const error: unknown = await asking.responses.retrieve(id).catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(NotFoundError)
}
