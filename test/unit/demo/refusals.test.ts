import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { speakChatCompletions } from './speak-chat-completions.ts'
import { speakGenerateContent } from './speak-generate-content.ts'
import { speakMessages } from './speak-messages.ts'
import { speakResponses } from './speak-responses.ts'
import { dig } from './spoken-protocol.ts'
import { type StartedDemo, startDemo } from './start-demo.ts'

const protocols = [speakChatCompletions, speakResponses, speakMessages, speakGenerateContent]
const badBodies = ['', '{"model":', 'null', '[]', '"text"', '{}', '{"model":"m","messages":7}']

let demo: StartedDemo
beforeAll(() => {
  demo = startDemo()
})
afterAll(() => demo.stop())

for (const protocol of protocols) {
  describe(protocol.name, () => {
    test.each(badBodies)('400 for the body %p', async (body) => {
      const response = await demo.post(protocol.path, body)
      expect(response.status).toBe(400)
      expect(dig(await response.json(), ...protocol.faultMessagePath)).toBeString()
    })
  })
}

const shapes = [
  { path: '/v1/unheard-of', member: ['error', 'type'], word: 'invalid_request_error' },
  { path: '/v1/messages/unheard-of', member: ['error', 'type'], word: 'not_found_error' },
  { path: '/v1beta/models/m:unheardOf', member: ['error', 'status'], word: 'NOT_FOUND' },
] as const

describe('an unknown path', () => {
  test.each(shapes)(
    '404 in the protocol’s own format for $path',
    async ({ path, member, word }) => {
      const response = await demo.post(path, {})
      expect(response.status).toBe(404)
      expect(dig(await response.json(), ...member)).toBe(word)
    },
  )
})

test('an error of the array stream is in an array', async () => {
  const response = await demo.post('/v1beta/models/m:streamGenerateContent', 'not json')
  expect(response.status).toBe(400)
  expect(dig(await response.json(), 0, 'error', 'status')).toBe('INVALID_ARGUMENT')
})

const countings = [
  {
    path: '/v1/messages/count_tokens',
    body: { model: 'm', messages: [{ role: 'user', content: 'one two three' }] },
    told: { input_tokens: 3 },
  },
  {
    path: '/v1beta/models/m:countTokens',
    body: { contents: [{ parts: [{ text: 'one two three' }] }] },
    told: { totalTokens: 3 },
  },
  {
    path: '/v1beta/models/m:countTokens',
    body: { generateContentRequest: { contents: [{ parts: [{ text: 'one two three' }] }] } },
    told: { totalTokens: 3 },
  },
] as const

test.each(countings)('tokens are counted at $path', async ({ path, body, told }) => {
  expect(await (await demo.post(path, body)).json()).toEqual(told)
})

const lists = [
  { path: '/v1/models', headers: {}, member: ['data', 0, 'id'], id: 'tollgate-demo' },
  { path: '/v1/models', headers: { 'x-api-key': 'k' }, member: ['first_id'], id: 'tollgate-demo' },
  {
    path: '/v1beta/models',
    headers: {},
    member: ['models', 0, 'name'],
    id: 'models/tollgate-demo',
  },
] as const

test.each(lists)('models are listed at $path', async ({ path, headers, member, id }) => {
  const response = await fetch(`${demo.url}${path}`, { headers })
  expect(dig(await response.json(), ...member)).toBe(id)
})
