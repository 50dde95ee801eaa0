import { describe, expect, test } from 'bun:test'
import { vendors } from '../../../src/vendors/index.ts'

const traitsAt = (vendor: string) => (model: string) => vendors.get(vendor)?.traits(model, '')
const traits = traitsAt('openai')

describe('reasoning models: no sampling, no stop, the newer limit, the developer role', () => {
  test.each([
    ['o1', 'low medium high'],
    ['o3', 'low medium high'],
    ['o3-mini-2025-01-31', 'low medium high'],
    ['o4-mini', 'low medium high'],
    ['gpt-5', 'minimal low medium high'],
    ['gpt-5-2025-08-07', 'minimal low medium high'],
    ['gpt-5-nano', 'minimal low medium high'],
    ['gpt-5-pro', 'high'],
    ['gpt-5-codex', 'low medium high'],
    ['gpt-5.1', 'none low medium high'],
    ['gpt-5.1-codex', 'low medium high'],
    ['gpt-5.1-codex-max', 'low medium high xhigh'],
    ['gpt-5.1-codex-mini', 'medium high'],
    ['gpt-5.2', 'none low medium high xhigh'],
    ['gpt-5.2-pro', 'medium high xhigh'],
    ['gpt-5.3-codex', 'low medium high xhigh'],
    ['gpt-5.4-mini', 'none low medium high xhigh'],
    ['gpt-5.5', 'none low medium high xhigh'],
    ['gpt-5.6-terra', 'none low medium high xhigh max'],
    ['gpt-5.10', 'none low medium high xhigh max'],
    ['gpt-6-sol', 'none low medium high xhigh max'],
    ['gpt-6-astra', 'low medium high xhigh max'],
    ['openai/gpt-6-luna', 'none low medium high xhigh max'],
    ['GPT-7', 'none low medium high xhigh max'],
    ['something-new', 'none low medium high xhigh max'],
  ])('%s', (model, efforts) => {
    expect(traits(model)).toEqual({
      outputLimitField: 'max_completion_tokens',
      instructionRole: 'developer',
      takesSampling: false,
      stopMax: 0,
      thinking: 'effort',
      efforts: efforts.split(' '),
      ...(efforts.includes('none') ? {} : { alwaysThinks: true }),
    } as NonNullable<ReturnType<typeof traits>>)
  })
})

describe('other models get no reasoning effort', () => {
  test.each([
    ['gpt-4o', 'json_schema', undefined],
    ['gpt-4o-mini-2024-07-18', 'json_schema', undefined],
    ['chatgpt-4o-latest', 'json_schema', undefined],
    ['ft:gpt-4o-mini-2024-07-18:acme::id', 'json_schema', undefined],
    ['gpt-4.1-nano', 'json_schema', undefined],
    ['gpt-5-chat-latest', 'json_schema', undefined],
    ['gpt-5.2-chat-latest', 'json_schema', false],
    ['gpt-4o-search-preview', 'json_schema', false],
    ['gpt-4-turbo', 'json_object', undefined],
    ['gpt-4-0125-preview', 'json_object', undefined],
    ['gpt-3.5-turbo-0125', 'json_object', undefined],
    ['gpt-4', 'none', undefined],
    ['gpt-4-0613', 'none', undefined],
    ['o1-mini', 'none', false],
  ] as const)('%s', (model, structuredOutput, takesSampling) => {
    const found = traits(model)
    expect(found?.thinking).toBe('none')
    expect(found?.structuredOutput).toBe(structuredOutput)
    expect(found?.takesSampling).toBe(takesSampling as boolean)
    expect(found?.outputLimitField).not.toBe('max_tokens')
    expect(found?.instructionRole).not.toBe('developer')
  })
})

describe('the traits of an Azure deployment follow its name only if the name contains the model', () => {
  const deployment = traitsAt('azure-openai')
  test.each([
    ['gpt-5-mini', 'gpt-5-mini'],
    ['eu-gpt-5-mini', 'gpt-5-mini'],
    ['gpt4o', 'gpt-4o'],
    ['prod_gpt-4o', 'gpt-4o'],
    ['gpt-35-turbo', 'gpt-3.5-turbo'],
    ['o3', 'o3'],
    ['team-o4-mini', 'o4-mini'],
  ])('%s', (name, model) => {
    expect(deployment(name)).toEqual(traits(model))
  })

  test.each(['chat', 'prod', 'o365-helper', 'foo1', 'my-model'])('%s reveals nothing', (name) => {
    expect(deployment(name)).toEqual({})
  })
})
