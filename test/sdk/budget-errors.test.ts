import { beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { addSpentBudgets } from '../support/gateway/add-spent-budgets.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'

const gateway = withGateway()
let value = ''
beforeAll(async () => {
  value = (await addSpentBudgets(gateway().engine)).member
})

const messages = [{ role: 'user' as const, content: 'Good morning' }]
const code = 'member_budget_exhausted'
const model = 'gpt-x'

/** Returns the error, and checks that the client sent one request: it does not retry a request that cannot succeed. */
async function failureOf(asked: Promise<unknown>): Promise<unknown> {
  const rowsBefore = await refusals()
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  await gateway().node.ledger.shipped()
  expect((await refusals()) - rowsBefore).toBe(1)
  return error
}

async function refusals(): Promise<number> {
  const { db } = gateway().engine
  const rows = await db.selectFrom('usage_row').select('reason').execute()
  return rows.filter(({ reason }) => reason === code).length
}

describe('the official clients on an exhausted budget', () => {
  const openai = () => new OpenAI({ apiKey: value, baseURL: `${gateway().url}/v1` })
  const anthropic = () => new Anthropic({ apiKey: value, baseURL: gateway().url })
  const google = () =>
    new GoogleGenAI({ apiKey: value, httpOptions: { baseUrl: gateway().url } }).models

  const openaiCalls: readonly [string, () => Promise<unknown>][] = [
    ['chat', async () => openai().chat.completions.create({ model, messages })],
    [
      'chat stream',
      async () => openai().chat.completions.create({ model, messages, stream: true }),
    ],
    ['responses', async () => openai().responses.create({ model, input: 'Good morning' })],
    [
      'responses stream',
      async () => openai().responses.create({ model, input: 'Good morning', stream: true }),
    ],
  ]
  test.each(openaiCalls)('OpenAI, %s: PermissionDeniedError', async (_name, ask) => {
    const error = await failureOf(ask())
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(error).toMatchObject({ status: 403, code, type: 'insufficient_quota' })
    const body = (error as InstanceType<typeof OpenAI.APIError>).error as { resets_at?: string }
    expect(Date.parse(body.resets_at ?? '')).toBeGreaterThan(Date.now())
  })

  const anthropicCalls: readonly [string, () => Promise<unknown>][] = [
    ['messages', async () => anthropic().messages.create({ model, messages, max_tokens: 9 })],
    [
      'messages stream',
      () => anthropic().messages.stream({ model, messages, max_tokens: 9 }).finalMessage(),
    ],
  ]
  test.each(anthropicCalls)('Anthropic, %s: PermissionDeniedError', async (_name, ask) => {
    const error = await failureOf(ask())
    expect(error).toBeInstanceOf(Anthropic.PermissionDeniedError)
    expect(error).toMatchObject({
      status: 403,
      error: { error: { details: { error_code: code, resets_at: expect.any(String) } } },
    })
  })

  const googleCalls: readonly [string, () => Promise<unknown>][] = [
    ['generate', () => google().generateContent({ model, contents: 'Good morning' })],
    ['stream', () => google().generateContentStream({ model, contents: 'Good morning' })],
  ]
  test.each(googleCalls)('Google, %s: ApiError with the reset', async (_name, ask) => {
    const error = await failureOf(ask())
    expect(error).toMatchObject({ name: 'ApiError', status: 403 })
    const message = (error as Error).message
    expect(message).toContain(code)
    expect(message).toMatch(/"resetsAt":"\d{4}-/)
  })
})
