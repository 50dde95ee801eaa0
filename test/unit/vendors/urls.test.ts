import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { vendors } from '../../../src/vendors/index.ts'
import type { UpstreamOperation, Vendor } from '../../../src/vendors/vendor.ts'

function vendorOf(name: string): Vendor {
  const vendor = vendors.get(name)
  if (!vendor) throw new Error(`there is no vendor ${name}`)
  return vendor
}

type Row = readonly [
  vendor: string,
  protocol: ProtocolName,
  operation: UpstreamOperation,
  model: string,
  baseUrl: string | undefined,
  url: string | undefined,
]

const openaiApi = 'https://api.openai.com/v1'
const anthropicApi = 'https://api.anthropic.com/v1'
const geminiApi = 'https://generativelanguage.googleapis.com/v1beta'
const azure = 'https://res.openai.azure.com'
const dated = 'api-version=2025-04-01-preview'

/** An undefined base URL means the vendor's own. */
const rows: readonly Row[] = [
  ['openai', 'chat-completions', 'stream', 'gpt-x', undefined, `${openaiApi}/chat/completions`],
  ['openai', 'chat-completions', 'count', 'gpt-x', undefined, undefined],
  ['openai', 'responses', 'generate', 'gpt-x', undefined, `${openaiApi}/responses`],
  ['openai', 'responses', 'stream', 'gpt-x', undefined, `${openaiApi}/responses`],
  ['openai', 'responses', 'count', 'gpt-x', undefined, `${openaiApi}/responses/input_tokens`],
  ['openai', 'responses', 'generate', 'gpt-x', 'http://h:1', 'http://h:1/v1/responses'],
  ['openai', 'responses', 'generate', 'gpt-x', 'http://h:1/', 'http://h:1/v1/responses'],
  ['openai', 'responses', 'generate', 'gpt-x', 'http://h/v1/', 'http://h/v1/responses'],
  ['openai', 'responses', 'generate', 'gpt-x', 'http://h/proxy', 'http://h/proxy/responses'],

  ['anthropic', 'messages', 'generate', 'claude', undefined, `${anthropicApi}/messages`],
  ['anthropic', 'messages', 'stream', 'claude', undefined, `${anthropicApi}/messages`],
  ['anthropic', 'messages', 'count', 'claude', undefined, `${anthropicApi}/messages/count_tokens`],
  ['anthropic', 'chat-completions', 'stream', 'c', undefined, `${anthropicApi}/chat/completions`],
  ['anthropic', 'chat-completions', 'count', 'c', undefined, undefined],
  ['anthropic', 'messages', 'generate', 'c', 'http://h/v1', 'http://h/v1/messages'],
  ['anthropic', 'messages', 'generate', 'c', 'http://h/v1/', 'http://h/v1/messages'],
  [
    'anthropic',
    'messages',
    'generate',
    'c',
    'http://h/anthropic',
    'http://h/anthropic/v1/messages',
  ],

  [
    'google',
    'generate-content',
    'generate',
    'g',
    undefined,
    `${geminiApi}/models/g:generateContent`,
  ],
  [
    'google',
    'generate-content',
    'stream',
    'g',
    undefined,
    `${geminiApi}/models/g:streamGenerateContent?alt=sse`,
  ],
  ['google', 'generate-content', 'count', 'g', undefined, `${geminiApi}/models/g:countTokens`],
  [
    'google',
    'generate-content',
    'count',
    'models/g',
    undefined,
    `${geminiApi}/models/g:countTokens`,
  ],
  [
    'google',
    'generate-content',
    'count',
    'tunedModels/mine',
    undefined,
    `${geminiApi}/tunedModels/mine:countTokens`,
  ],
  [
    'google',
    'generate-content',
    'count',
    'a/b?c:d',
    undefined,
    `${geminiApi}/models/a/b%3Fc%3Ad:countTokens`,
  ],
  ['google', 'generate-content', 'count', 'g', 'http://h', 'http://h/v1beta/models/g:countTokens'],
  [
    'google',
    'generate-content',
    'count',
    'g',
    'http://h/v1beta/',
    'http://h/v1beta/models/g:countTokens',
  ],
  ['google', 'generate-content', 'count', 'g', 'http://h/v1', 'http://h/v1/models/g:countTokens'],
  [
    'google',
    'generate-content',
    'count',
    'g',
    'http://h/v1beta/openai',
    'http://h/v1beta/models/g:countTokens',
  ],
  ['google', 'chat-completions', 'stream', 'g', undefined, `${geminiApi}/openai/chat/completions`],
  [
    'google',
    'chat-completions',
    'stream',
    'g',
    'http://h/v1beta/openai/',
    'http://h/v1beta/openai/chat/completions',
  ],
  ['google', 'chat-completions', 'count', 'g', undefined, undefined],

  [
    'azure-openai',
    'chat-completions',
    'stream',
    'my deployment',
    azure,
    `${azure}/openai/deployments/my%20deployment/chat/completions?${dated}`,
  ],
  [
    'azure-openai',
    'chat-completions',
    'stream',
    'd',
    `${azure}/openai/`,
    `${azure}/openai/deployments/d/chat/completions?${dated}`,
  ],
  [
    'azure-openai',
    'chat-completions',
    'stream',
    'd',
    `${azure}/openai/deployments/other`,
    `${azure}/openai/deployments/d/chat/completions?${dated}`,
  ],
  [
    'azure-openai',
    'chat-completions',
    'stream',
    'd',
    `${azure}/openai/v1/`,
    `${azure}/openai/v1/chat/completions`,
  ],
  ['azure-openai', 'responses', 'stream', 'd', azure, `${azure}/openai/v1/responses`],
  [
    'azure-openai',
    'responses',
    'stream',
    'd',
    `${azure}/openai/v1`,
    `${azure}/openai/v1/responses`,
  ],
  ['azure-openai', 'responses', 'count', 'd', azure, undefined],

  [
    'openai-compatible',
    'chat-completions',
    'stream',
    'm',
    'http://h:8000/v1/',
    'http://h:8000/v1/chat/completions',
  ],
  [
    'openai-compatible',
    'chat-completions',
    'stream',
    'm',
    'https://api.perplexity.ai',
    'https://api.perplexity.ai/chat/completions',
  ],
  ['openai-compatible', 'responses', 'generate', 'm', 'http://h/v1', 'http://h/v1/responses'],
  ['openai-compatible', 'responses', 'count', 'm', 'http://h/v1', undefined],
]

test.each(rows)('%s %s %s of %s at %s', (name, protocol, operation, model, baseUrl, url) => {
  const vendor = vendorOf(name)
  expect(vendor.protocols).toContain(protocol)
  const destination = {
    baseUrl: baseUrl ?? vendor.baseUrl ?? 'the vendor has no address of its own',
    protocol,
    credential: 'hidden',
    model,
    operation,
  }
  expect(vendor.url(destination)).toBe(url as string)
})

test.each([...vendors.values()])('$name: each protocol has a row above', ({ name, protocols }) => {
  const tested = rows.filter(([vendor]) => vendor === name).map(([, protocol]) => protocol)
  expect([...new Set(tested)].toSorted()).toEqual([...protocols].toSorted())
})

test('no URL ever contains the credential', () => {
  for (const [name, protocol, operation, model, baseUrl = 'https://h'] of rows) {
    const destination = { baseUrl, protocol, credential: 'hidden', model, operation }
    expect(vendorOf(name).url(destination) ?? '').not.toContain('hidden')
    expect(vendorOf(name).modelsUrl(destination)).not.toContain('hidden')
  }
})

/** Fails while a table of this file lacks a vendor. */
function expectEveryVendor(names: readonly string[]): void {
  expect([...new Set(names)].toSorted()).toEqual([...vendors.keys()].toSorted())
}

describe('the URL of the model list', () => {
  const listRows = [
    ['openai', 'responses', 'https://api.openai.com/v1', `${openaiApi}/models`],
    ['anthropic', 'messages', 'https://api.anthropic.com', `${anthropicApi}/models`],
    [
      'google',
      'generate-content',
      'https://generativelanguage.googleapis.com',
      `${geminiApi}/models`,
    ],
    ['google', 'chat-completions', geminiApi, `${geminiApi}/openai/models`],
    ['azure-openai', 'responses', azure, `${azure}/openai/models?${dated}`],
    ['azure-openai', 'responses', `${azure}/openai/v1`, `${azure}/openai/v1/models`],
    ['openai-compatible', 'chat-completions', 'http://h/v1/', 'http://h/v1/models'],
  ] as const
  test('each vendor has a row', () => expectEveryVendor(listRows.map(([name]) => name)))

  test.each(listRows)('%s %s', (name, protocol, baseUrl, url) => {
    expect(vendorOf(name).modelsUrl({ baseUrl, protocol, credential: undefined })).toBe(url)
  })
})

describe('the header of the credential', () => {
  const version = { 'anthropic-version': '2023-06-01' }
  const asBearer = { authorization: 'Bearer k' }
  const credentialRows = [
    ['openai', 'responses', openaiApi, asBearer],
    ['anthropic', 'messages', 'https://api.anthropic.com', { 'x-api-key': 'k', ...version }],
    ['anthropic', 'messages', `${anthropicApi}/`, { 'x-api-key': 'k', ...version }],
    ['anthropic', 'chat-completions', anthropicApi, { ...asBearer, ...version }],
    ['anthropic', 'messages', 'https://h/anthropic', { 'x-api-key': 'k', ...asBearer, ...version }],
    [
      'anthropic',
      'messages',
      'https://anthropic.com.evil.example',
      { 'x-api-key': 'k', ...asBearer, ...version },
    ],
    ['google', 'generate-content', geminiApi, { 'x-goog-api-key': 'k' }],
    ['google', 'chat-completions', geminiApi, asBearer],
    ['azure-openai', 'chat-completions', azure, { 'api-key': 'k' }],
    ['openai-compatible', 'chat-completions', 'http://h/v1', asBearer],
  ] as const
  test('each vendor has a row', () => expectEveryVendor(credentialRows.map(([name]) => name)))

  test.each(credentialRows)('%s %s at %s', (name, protocol, baseUrl, headers) => {
    const vendor = vendorOf(name)
    expect(vendor.headers({ baseUrl, protocol, credential: 'k' })).toEqual(headers)
    const without = vendor.headers({ baseUrl, protocol, credential: undefined })
    expect(JSON.stringify(without)).not.toContain('undefined')
    expect(Object.keys(without)).toEqual(name === 'anthropic' ? ['anthropic-version'] : [])
  })
})

describe('the issuer of opaque reasoning', () => {
  const issuerRows = [
    ['anthropic', 'claude-opus-5-5', 'https://api.anthropic.com', 'anthropic/claude'],
    ['anthropic', 'deepseek-v4-pro', 'https://api.deepseek.com/anthropic', 'anthropic/deepseek'],
    ['openai', 'gpt-6-sol', openaiApi, 'openai/gpt'],
    ['openai', 'ft:gpt-4o-mini:acme', openaiApi, 'openai/gpt'],
    ['openai', 'o4-mini', openaiApi, 'openai/o'],
    ['google', 'models/gemini-3-pro', geminiApi, 'google/gemini'],
    ['azure-openai', 'gpt-5', azure, 'azure-openai/res.openai.azure.com/gpt'],
    [
      'openai-compatible',
      'anthropic/claude-opus-5',
      'https://openrouter.ai/api/v1',
      'openrouter.ai/claude',
    ],
    ['openai-compatible', '7b', 'http://127.0.0.1:8000/v1', '127.0.0.1:8000/unknown'],
  ] as const
  test('each vendor has a row', () => expectEveryVendor(issuerRows.map(([name]) => name)))

  test.each(issuerRows)('%s %s', (name, model, baseUrl, issuer) => {
    expect(vendorOf(name).issuer(model, baseUrl)).toBe(issuer)
  })
})
