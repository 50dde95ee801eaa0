import { describe, expect, test } from 'bun:test'
import type { Part, Turn } from '../../../../src/core/neutral/model-request.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { encode, issuer } from './build.ts'

const older: ModelTraits = { takesCallIds: false, schemaForm: 'classic', thinking: 'budget' }
const text = (words: string): Part => ({ type: 'text', text: words })
const call = (id: string, more: object = {}): Part => ({
  type: 'tool-call',
  id,
  name: `f_${id}`,
  form: 'function',
  argumentsText: '{}',
  ...more,
})
const asked: Turn = { role: 'user', parts: [text('hi')] }
const contentsOf = (turns: Turn[], traits: ModelTraits = {}) =>
  encode({ turns }, traits).value['contents']
const ours = (data: string) => ({ issuer, kind: 'signature' as const, data })
const theirs = { issuer: 'anthropic/claude', kind: 'signature' as const, data: 'x' }
const skip = 'skip_thought_signature_validator'

describe('signatures', () => {
  const modelParts = (parts: Part[], traits: ModelTraits = {}) => {
    const [, model] = contentsOf([asked, { role: 'assistant', parts }], traits) as {
      parts: unknown[]
    }[]
    return model?.parts
  }
  const thought = (words: string, opaque?: object): Part =>
    ({ type: 'reasoning', text: words, opaque }) as Part

  const rows: [what: string, parts: Part[], sent: unknown[]][] = [
    [
      'on a call: stays on the call',
      [call('a', { opaque: ours('S') }), call('b')],
      [{ thoughtSignature: 'S' }, {}],
    ],
    [
      'on reasoning: goes to the first call, the reasoning stays',
      [thought('hm', ours('S')), text('so'), call('a'), call('b')],
      [
        { text: 'hm', thought: true },
        { text: 'so' },
        { functionCall: {}, thoughtSignature: 'S' },
        {},
      ],
    ],
    [
      'on hidden reasoning: only the call is left',
      [thought('', ours('S')), call('a')],
      [{ functionCall: {}, thoughtSignature: 'S' }],
    ],
    [
      'on reasoning before text',
      [thought('hm', ours('S')), text('so')],
      [{ thought: true }, { text: 'so', thoughtSignature: 'S' }],
    ],
    [
      'on reasoning with nothing after it',
      [text('so'), thought('', ours('S'))],
      [{ text: 'so' }, { text: '', thought: true, thoughtSignature: 'S' }],
    ],
    [
      'on text',
      [text('so'), { type: 'text', text: '', opaque: ours('S') }],
      [{ text: 'so' }, { text: '', thoughtSignature: 'S' }],
    ],
    [
      'the same one on reasoning and call',
      [thought('hm', ours('S')), call('a', { opaque: ours('S') })],
      [{ thought: true }, { thoughtSignature: 'S' }],
    ],
    [
      'on a call: its reasoning stays',
      [thought('hm'), call('a', { opaque: ours('S') })],
      [{ text: 'hm', thought: true }, { thoughtSignature: 'S' }],
    ],
    [
      'of another vendor: left out with the reasoning',
      [thought('hm', theirs), call('a', { opaque: theirs })],
      [{ thoughtSignature: skip }],
    ],
    [
      'none: the first call gets the placeholder',
      [thought('hm'), call('a'), call('b')],
      [{ thoughtSignature: skip }, {}],
    ],
    ['none, and no calls', [text('so')], [{ text: 'so' }]],
  ]

  test.each(rows)('%s', (_, parts, sent) => {
    const encoded = modelParts(parts)
    expect(encoded).toMatchObject(sent)
    expect(encoded).toHaveLength(sent.length)
    sent.forEach((part, index) => {
      const isSigned = typeof part === 'object' && part !== null && 'thoughtSignature' in part
      if (!isSigned) expect(encoded?.[index]).not.toHaveProperty('thoughtSignature')
    })
  })

  test('a native signature is accepted, too', () => {
    const opaque = { issuer: 'native:generate-content', kind: 'signature', data: 'N' } as const
    expect(modelParts([call('a', { opaque })])).toMatchObject([{ thoughtSignature: 'N' }])
  })

  test('older models get no placeholder', () => {
    expect(modelParts([call('a')], older)).toEqual([{ functionCall: { name: 'f_a', args: {} } }])
  })

  test('dropped signatures give a warning', () => {
    const turns: Turn[] = [{ role: 'assistant', parts: [thought('hm', theirs), text('so')] }]
    expect(encode({ turns }).warnings).toEqual(['generationConfig.thinkingConfig_history_dropped'])
  })
})
