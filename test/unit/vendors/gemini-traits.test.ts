import { expect, test } from 'bun:test'
import type { ModelTraits } from '../../../src/protocols/model-traits.ts'
import { google } from '../../../src/vendors/google/index.ts'

const inChat: ModelTraits = { outputLimitField: 'max_tokens', instructionRole: 'system' }
const plain: ModelTraits = {
  ...inChat,
  thinking: 'none',
  takesCallIds: false,
  schemaForm: 'classic',
}
const signed: ModelTraits = { ...inChat, signsCalls: true }
const second: ModelTraits = { ...signed, takesCallIds: false }

function budget(budgetMin: number, budgetMax: number): ModelTraits {
  return { ...second, thinking: 'budget', budgetMin, budgetMax }
}

function level(...efforts: NonNullable<ModelTraits['efforts']>): ModelTraits {
  return { ...signed, thinking: 'level', efforts, alwaysThinks: true }
}

test.each<[string, ModelTraits]>([
  ['gemini-1.5-pro', plain],
  ['gemini-2.0-flash', plain],
  ['gemini-2.0-flash-001', plain],
  ['gemma-3-27b-it', plain],
  ['gemini-2.5-pro', { ...budget(128, 32_768), alwaysThinks: true }],
  ['models/gemini-2.5-pro-preview-06-05', { ...budget(128, 32_768), alwaysThinks: true }],
  ['gemini-2.5-flash', budget(0, 24_576)],
  ['gemini-2.5-flash-lite', budget(512, 24_576)],
  ['gemini-2.5-flash-lite-preview-09-2025', budget(512, 24_576)],
  ['gemini-2.5-flash-image', { ...second, thinking: 'none' }],
  ['gemini-2.5-flash-preview-tts', { ...second, thinking: 'none' }],
  ['gemini-3-pro-preview', level('low', 'high')],
  ['gemini-3.1-pro-preview', level('low', 'medium', 'high')],
  ['gemini-3-flash-preview', level('minimal', 'low', 'medium', 'high')],
  ['gemini-3.5-flash', level('minimal', 'low', 'medium', 'high')],
  ['gemini-3.5-flash-lite', level('minimal', 'low', 'medium', 'high')],
  ['gemini-3.7-flash', level('low', 'medium', 'high')],
  ['gemini-3.8-flash', level('low', 'medium', 'high')],
  ['gemini-3-pro-image-preview', { ...signed, thinking: 'none' }],
  ['gemini-4-pro', level('low', 'medium', 'high')],
  ['gemini-flash-latest', level('low', 'medium', 'high')],
  ['our-alias', level('low', 'medium', 'high')],
])('%s', (model, expected) => {
  expect(google.traits(model, '')).toEqual(expected)
})
