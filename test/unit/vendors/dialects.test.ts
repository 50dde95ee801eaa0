import { describe, expect, test } from 'bun:test'
import type { ModelTraits } from '../../../src/protocols/model-traits.ts'
import { dialects } from '../../../src/vendors/openai-compatible/dialects.ts'
import { openaiCompatible } from '../../../src/vendors/openai-compatible/index.ts'

const core: ModelTraits = {
  outputLimitField: 'max_tokens',
  instructionRole: 'system',
  thinking: 'none',
}
const returning: ModelTraits = { ...core, reasoningReturn: 'reasoning_content' }
const loose: ModelTraits = { ...returning, structuredOutput: 'json_object' }

function efforts(words: string): ModelTraits {
  const list = words.split(' ') as NonNullable<ModelTraits['efforts']>
  return {
    thinking: 'effort',
    efforts: list,
    ...(list.includes('none') ? {} : { alwaysThinks: true }),
  }
}

const router: ModelTraits = {
  ...core,
  ...efforts('none minimal low medium high xhigh'),
  reasoningReturn: 'reasoning_details',
  takesCacheMarks: true,
}
const lhm = efforts('low high max')
const lmh = efforts('low medium high')
const mistral: ModelTraits = { ...core, takesStreamOptions: false }

describe('known services', () => {
  const rows: [baseUrl: string, model: string, traits: ModelTraits][] = [
    ['https://api.deepseek.com', 'deepseek-chat', loose],
    ['https://api.deepseek.com/v1', 'deepseek-v4-pro', { ...loose, ...lhm }],
    ['https://api.mistral.ai/v1', 'mistral-large-latest', mistral],
    ['https://api.mistral.ai/v1', 'mistral-small-latest', { ...mistral, ...efforts('none high') }],
    [
      'https://api.groq.com/openai/v1',
      'llama-3.3-70b-versatile',
      { ...core, structuredOutput: 'json_object' },
    ],
    [
      'https://api.groq.com/openai/v1',
      'openai/gpt-oss-120b',
      { ...core, ...lmh, structuredOutput: 'json_schema' },
    ],
    [
      'https://api.groq.com/openai/v1',
      'qwen/qwen3-32b',
      { ...core, structuredOutput: 'json_object' },
    ],
    ['https://api.x.ai/v1', 'grok-4', core],
    ['https://api.x.ai/v1', 'grok-4-1-fast-reasoning', core],
    ['https://api.x.ai/v1', 'grok-4.20-reasoning', core],
    ['https://api.x.ai/v1', 'grok-code-fast-1', core],
    ['https://api.x.ai/v1', 'grok-3-mini', { ...core, ...efforts('low high') }],
    ['https://api.x.ai/v1', 'grok-4.3', { ...core, ...efforts('none low medium high') }],
    ['https://api.x.ai/v1', 'grok-4.5', { ...core, ...lmh }],
    ['https://api.x.ai/v1', 'grok-5', { ...core, ...lmh }],
    ['https://openrouter.ai/api/v1', 'anthropic/claude-opus-5', router],
    ['https://ai-gateway.vercel.sh/v1', 'openai/gpt-5', router],
    ['https://api.moonshot.ai/v1', 'kimi-k2-thinking', loose],
    ['https://api.moonshot.cn/v1', 'kimi-k2.6', { ...loose, takesSampling: false }],
    ['https://api.moonshot.ai/v1', 'kimi-k3', { ...loose, takesSampling: false, ...lhm }],
    ['https://api.z.ai/api/paas/v4', 'glm-4.7-flash', { ...loose, stopMax: 1 }],
    ['https://open.bigmodel.cn/api/paas/v4', 'glm-5.3', { ...loose, stopMax: 1, ...lhm }],
    ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'qwen3-max', loose],
    ['https://api.perplexity.ai', 'sonar', mistral],
    [
      'https://api.perplexity.ai',
      'sonar-deep-research',
      { ...mistral, ...efforts('minimal low medium high') },
    ],
    ['https://api.cerebras.ai/v1', 'gpt-oss-120b', { ...core, ...lmh }],
    ['https://api.cerebras.ai/v1', 'zai-glm-4.7', core],
    [
      'https://generativelanguage.googleapis.com/v1beta/openai',
      'gemini-3-flash-preview',
      { ...core, ...lmh, signsCalls: true },
    ],
  ]
  test.each(dialects.map(({ hosts }) => ({ hosts })))('$hosts has a row', ({ hosts }) => {
    const tested = rows.map(([baseUrl]) => new URL(baseUrl).hostname)
    expect(tested.filter((host) => hosts.some((each) => host.endsWith(each)))).not.toEqual([])
  })

  test.each(rows)('%s %s', (baseUrl, model, expected) => {
    const { replies: _, ...habits } = openaiCompatible.traits(model, baseUrl)
    expect(habits).toEqual(expected)
  })
})

describe('the traits of unknown servers follow the model family', () => {
  test.each<[string, string, ModelTraits]>([
    ['http://127.0.0.1:8000/v1', 'meta-llama/Llama-3.3-70B', core],
    ['http://127.0.0.1:8000/v1', 'Qwen/Qwen3-32B', returning],
    ['http://127.0.0.1:11434/v1', 'deepseek-r1:8b', returning],
    ['http://127.0.0.1:11434/v1', 'gpt-oss:20b', { ...core, ...lmh }],
    ['https://api.together.ai/v1', 'zai-org/GLM-5.3', returning],
    ['https://api.fireworks.ai/inference/v1', 'accounts/fireworks/models/kimi-k2', returning],
    ['https://models.github.ai/inference', 'mistral-ai/mistral-medium', core],
    ['https://api.deepseek.com.evil.example/v1', 'any', core],
    ['text that is not a URL', 'any', core],
  ])('%s %s', (baseUrl, model, expected) => {
    const { replies: _, ...habits } = openaiCompatible.traits(model, baseUrl)
    expect(habits).toEqual({ ...expected, isGuess: true })
  })

  test('a model of OpenAI keeps its own traits', () => {
    const found = openaiCompatible.traits('openai/gpt-5-mini', 'https://models.github.ai/inference')
    expect(found.instructionRole).toBe('developer')
    expect(found.outputLimitField).toBe('max_completion_tokens')
    expect(found.takesSampling).toBe(false)
  })
})

describe('reply fields beyond the protocol', () => {
  const word = (baseUrl: string) =>
    openaiCompatible.traits('some-model', baseUrl).replies?.reasoningField
  test.each<[string, string | undefined]>([
    ['https://openrouter.ai/api/v1', 'reasoning'],
    ['https://ai-gateway.vercel.sh/v1', 'reasoning'],
    ['https://api.groq.com/openai/v1', 'reasoning'],
    ['https://api.cerebras.ai/v1', 'reasoning'],
    ['https://api.deepseek.com', 'reasoning_content'],
    ['https://api.moonshot.ai/v1', 'reasoning_content'],
    ['https://api.z.ai/api/paas/v4', 'reasoning_content'],
    ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'reasoning_content'],
    ['https://api.x.ai/v1', 'reasoning_content'],
    ['https://api.mistral.ai/v1', undefined],
    ['http://127.0.0.1:8000/v1', undefined],
  ])('%s: the reasoning field is %s', (baseUrl, expected) => {
    expect(word(baseUrl)).toBe(expected)
  })

  test('only known vendors are charged on top of the totals', () => {
    const extra = (model: string, baseUrl: string) =>
      openaiCompatible.traits(model, baseUrl).replies?.usage?.extra
    expect(extra('sonar-deep-research', 'https://api.perplexity.ai')).toEqual({
      input: ['citation_tokens'],
      reasoning: ['reasoning_tokens'],
    })
    expect(extra('sonar-pro', 'https://api.perplexity.ai')).toBeUndefined()
    expect(extra('sonar-deep-research', 'https://llm.example.test')).toBeUndefined()
  })
})
