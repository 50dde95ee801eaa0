import { describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText } from 'ai'
import { systemRandom } from '../../src/core/id.ts'
import type { NewKey } from '../../src/keys/definition/key.ts'
import { createKey } from '../../src/keys/key-store.ts'
import { write } from '../../src/store/changes/write.ts'
import { chatBody } from '../support/gateway/ask.ts'
import { testVault } from '../support/gateway/test-database.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'

const gateway = withGateway()
const model = 'gpt-x'

async function keyWith(settings: Partial<NewKey>): Promise<string> {
  const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
  const key = { accountId: 'acme', name: 'limited', groups: ['default'], ...settings }
  return write(gateway().engine, Date.now(), async (writing) => {
    return (await createKey(writing, tools, key)).value
  })
}

type Answer = { readonly status: number; readonly retryAfter: string | null }

/** The options of a provider of the AI SDK. Each answer is noted, and `onAnswer` sees it first. */
function optionsOf(apiKey: string, path: string, answers: Answer[], onAnswer = () => {}) {
  const noting = async (...asked: Parameters<typeof globalThis.fetch>) => {
    const response = await fetch(...asked)
    answers.push({ status: response.status, retryAfter: response.headers.get('retry-after') })
    onAnswer()
    return response
  }
  const baseURL = `${gateway().url}${path}`
  return { apiKey, baseURL, fetch: Object.assign(noting, { preconnect: () => {} }) }
}

const providers = [
  {
    name: 'OpenAI, chat',
    path: '/v1',
    of: (options: ReturnType<typeof optionsOf>) => createOpenAI(options).chat(model),
  },
  {
    name: 'OpenAI, responses',
    path: '/v1',
    of: (options: ReturnType<typeof optionsOf>) => createOpenAI(options).responses(model),
  },
  {
    name: 'Anthropic',
    path: '/v1',
    of: (options: ReturnType<typeof optionsOf>) => createAnthropic(options)(model),
  },
  {
    name: 'Google',
    path: '/v1beta',
    of: (options: ReturnType<typeof optionsOf>) => createGoogleGenerativeAI(options)(model),
  },
]
const question = { prompt: 'Good morning', maxOutputTokens: 50 }

describe('the AI SDK', () => {
  test.each(providers)(
    '$name: a request above a rate limit is sent again after Retry-After',
    async ({ path, of }) => {
      const key = await keyWith({ requestsPerMinute: 1 })
      const headers = { authorization: `Bearer ${key}` }
      expect((await gateway().ask({ headers, body: chatBody() })).status).toBe(200)
      // The limit comes back with the refusal, so that the wait need not be a minute.
      gateway().clock.passTime(59_000)
      const answers: Answer[] = []
      const options = optionsOf(key, path, answers, () => gateway().clock.passTime(1_000))
      await generateText({ model: of(options), ...question })
      expect(answers).toEqual([
        { status: 429, retryAfter: '1' },
        { status: 200, retryAfter: null },
      ])
    },
  )

  test.each(providers)(
    '$name: a request above a quota is not sent again, and the error says what to do',
    async ({ path, of }) => {
      const answers: Answer[] = []
      const options = optionsOf(await keyWith({ quotaNano: 1n }), path, answers)
      const error = await generateText({ model: of(options), ...question }).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(answers).toEqual([{ status: 403, retryAfter: null }])
      expect(APICallError.isInstance(error)).toBe(true)
      expect((error as Error).message).toMatch(
        /^The quota of this API key is not enough: .* Raise the quota in the console/,
      )
    },
  )
})
