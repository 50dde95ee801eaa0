import { describe, expect, test } from 'bun:test'
import { agentSnippets } from '../../../console/src/snippets/agent-snippets.ts'
import { curlSnippets } from '../../../console/src/snippets/curl-snippets.ts'
import { sdkSnippets } from '../../../console/src/snippets/sdk-snippets.ts'

const root = 'https://gateway.example.com'
const key = 'sk-0123456789abcdef'
const model = 'maker/model-1'

/** The required parts of each snippet: its base URL, the position of the key, and the protocol. */
const wanted: readonly [string, readonly string[]][] = [
  ['curl-chat', [`curl ${root}/v1/chat/completions `, `Authorization: Bearer ${key}`]],
  ['curl-responses', [`curl ${root}/v1/responses `, `Authorization: Bearer ${key}`]],
  ['curl-messages', [`curl ${root}/v1/messages `, `x-api-key: ${key}`, 'anthropic-version: 20']],
  [
    'curl-generate',
    [`${root}/v1beta/models/maker%2Fmodel-1:generateContent`, `x-goog-api-key: ${key}`],
  ],
  ['openai-ts', [`baseURL: '${root}/v1'`, `apiKey: '${key}'`, 'responses.create']],
  ['openai-python', [`base_url="${root}/v1"`, `api_key="${key}"`, 'chat.completions.create']],
  ['anthropic-ts', [`baseURL: '${root}'`, `apiKey: '${key}'`, 'messages.create', 'max_tokens']],
  ['anthropic-python', [`base_url="${root}"`, `api_key="${key}"`, 'messages.create', 'max_tokens']],
  ['google-ts', [`baseUrl: '${root}'`, `apiKey: '${key}'`, 'models.generateContent']],
  ['google-python', [`base_url="${root}"`, `api_key="${key}"`, 'models.generate_content']],
  ['claude-code', [`ANTHROPIC_BASE_URL=${root}\n`, `ANTHROPIC_AUTH_TOKEN=${key}\n`]],
  ['codex', [`base_url = "${root}/v1"`, 'env_key = "TOLLGATE_KEY"', 'wire_api = "responses"']],
  [
    'gemini-cli',
    [`GOOGLE_GEMINI_BASE_URL=${root}\n`, `GEMINI_API_KEY=${key}\n`, '"gemini-api-key"'],
  ],
  ['opencode', [`"baseURL": "${root}/v1"`, `"apiKey": "${key}"`, '"@ai-sdk/openai-compatible"']],
  ['qwen-code', [`OPENAI_BASE_URL=${root}/v1\n`, `OPENAI_API_KEY=${key}\n`, '--auth-type openai']],
  ['cline', ['cline auth openai-compatible ', `--baseurl ${root}/v1 `, `--apikey ${key} `]],
  ['continue', [`apiBase: ${root}/v1\n`, `apiKey: ${key}`, 'provider: openai']],
  [
    'copilot-cli',
    [
      `COPILOT_PROVIDER_BASE_URL=${root}/v1\n`,
      `COPILOT_PROVIDER_API_KEY=${key}\n`,
      'COPILOT_PROVIDER_TYPE=openai\n',
    ],
  ],
  [
    'kimi',
    [
      `base_url = "${root}/v1"`,
      `api_key = "${key}"`,
      'type = "openai"',
      `default_model = "${model}"`,
    ],
  ],
  ['pi', [`"baseUrl": "${root}/v1"`, `"apiKey": "${key}"`, '"openai-completions"']],
  ['kilo', [`"baseURL": "${root}/v1"`, `"apiKey": "${key}"`, '"@ai-sdk/openai-compatible"']],
]

const all = [...curlSnippets, ...sdkSnippets, ...agentSnippets]
const textOf = (id: string, value: string) =>
  (all.find((each) => each.id === id)?.parts({ root, key: value, model }) ?? [])
    .map(({ text }) => text)
    .join('\n')

describe('snippets', () => {
  test('each has a row here', () => {
    expect(all.map(({ id }) => id)).toEqual(wanted.map(([id]) => id))
  })

  test.each(wanted)('%s: base URL, key and protocol', (id, pieces) => {
    const text = textOf(id, key)
    for (const piece of pieces) expect(text).toContain(piece)
    expect(decodeURIComponent(text)).toContain(model)
  })

  test.each(wanted)(
    '%s: before the key is revealed, the placeholder does not look like a key',
    (id) => {
      const text = textOf(id, '$TOLLGATE_KEY')
      expect(text).not.toContain(key)
      expect(text).toMatch(/TOLLGATE_KEY|sk-…/)
    },
  )

  test.each(
    agentSnippets.flatMap(({ id, parts }) =>
      parts({ root, key, model })
        .filter(({ file }) => file?.endsWith('.json'))
        .map(({ text }) => [id, text] as const),
    ),
  )('the file of %s is JSON', (_id, text) => {
    expect(() => JSON.parse(text)).not.toThrow()
  })

  test.each(['codex', 'kimi'])('the file of %s is TOML', (id) => {
    const [file] = all.find((each) => each.id === id)?.parts({ root, key, model }) ?? []
    expect(Bun.TOML.parse(file?.text ?? '')).toMatchObject({})
    expect(file?.file).toEndWith('.toml')
  })

  const continued = all.find(({ id }) => id === 'continue')
  test.each([model, '1234', 'true', '1e5', 'name:'])(
    'the file of continue names %s as text',
    (id) => {
      const [file] = continued?.parts({ root, key, model: id }) ?? []
      expect(Bun.YAML.parse(file?.text ?? '')).toMatchObject({ models: [{ name: id, model: id }] })
    },
  )
})
