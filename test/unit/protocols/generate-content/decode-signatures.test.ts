import { describe, expect, test } from 'bun:test'
import type { Part } from '../../../../src/core/neutral/model-request.ts'
import { sealOpaqueAsBase64 } from '../../../../src/protocols/fit/seal-opaque.ts'
import { sealForThoughts } from '../../../../src/protocols/generate-content/values/opaque.ts'
import { decode } from './build.ts'

const user = { role: 'user', parts: [{ text: 'hi' }] }
const said = (...parts: unknown[]) =>
  decode({ contents: [user, { role: 'model', parts }] }).turns[1]
const native = (data: string) => ({
  issuer: 'native:generate-content',
  kind: 'signature' as const,
  data,
})

describe('signatures', () => {
  const foreign = { issuer: 'anthropic/claude', kind: 'signature', data: 'sig' } as const
  const sealed = { thoughtSignature: sealOpaqueAsBase64(foreign) }
  const carried = { thoughtSignature: sealForThoughts(foreign) }
  const call = { functionCall: { name: 'f', args: {} } }

  test('the vendor’s own signatures stay on their part', () => {
    const parts = said(
      { text: 'hm', thought: true },
      { ...call, thought_signature: 'AAA=' },
      { text: 'so', thoughtSignature: 'BBB=' },
    )?.parts
    expect(parts).toMatchObject([
      { type: 'reasoning', text: 'hm', opaque: undefined },
      { type: 'tool-call', opaque: native('AAA=') },
      { type: 'text', text: 'so', opaque: native('BBB=') },
    ])
  })

  test('one without text belongs to the text before it, or represents reasoning', () => {
    expect(said({ text: 'so' }, { text: '', thoughtSignature: 'BBB=' })?.parts).toMatchObject([
      { type: 'text', text: 'so', opaque: native('BBB=') },
    ])
    expect(said({ text: '', thoughtSignature: 'BBB=' })?.parts).toMatchObject([
      { type: 'reasoning', text: '', opaque: native('BBB=') },
    ])
  })

  test.each([
    'skip_thought_signature_validator',
    'context_engineering_is_the_way_to_go',
    'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=',
    '',
  ])('%j is none', (thoughtSignature) => {
    expect(said({ ...call, thoughtSignature })?.parts).toMatchObject([{ opaque: undefined }])
  })

  test('one of another vendor returns to its reasoning, whatever part it was on', () => {
    const hm = { text: 'hm', thought: true }
    const so = { text: 'so' }
    const carriers: [unknown[], Part['type'][]][] = [
      [[hm, { ...call, ...carried }], ['tool-call']],
      [
        [hm, so, { ...call, ...carried }, call],
        ['text', 'tool-call', 'tool-call'],
      ],
      [[hm, so, { text: '', ...carried }], ['text']],
      [[hm, so, carried], ['text']],
    ]
    for (const [sent, kinds] of carriers) {
      const [first, ...others] = said(...sent)?.parts ?? []
      expect(first).toMatchObject({ type: 'reasoning', text: 'hm', opaque: foreign })
      expect(others.map(({ type }) => type)).toEqual(kinds)
      for (const part of others) expect(part).not.toHaveProperty('opaque', foreign)
    }
  })

  test('if the client omits the reasoning, it comes before all content of the step', () => {
    expect(said(call, { text: 'so' }, { ...call, ...carried })?.parts).toMatchObject([
      { type: 'tool-call' },
      { type: 'reasoning', text: '', opaque: foreign },
      { type: 'text', text: 'so' },
      { type: 'tool-call' },
    ])
    const other = { ...foreign, data: 'before' }
    const before = { text: '', thought: true, thoughtSignature: sealOpaqueAsBase64(other) }
    expect(said(before, { text: 'so' }, { ...call, ...carried })?.parts).toMatchObject([
      { type: 'reasoning', text: '', opaque: other },
      { type: 'reasoning', text: '', opaque: foreign },
      { type: 'text', text: 'so' },
      { type: 'tool-call' },
    ])
  })

  test('one of another vendor on a call or a text itself stays there', () => {
    const parts = said({ text: 'hm', thought: true }, { ...call, ...sealed })?.parts
    expect(parts).toMatchObject([{ opaque: undefined }, { type: 'tool-call', opaque: foreign }])
    expect(said({ text: 'so', ...sealed })?.parts).toMatchObject([
      { type: 'text', opaque: foreign },
    ])
  })

  test('reasoning without text keeps its position', () => {
    expect(said({ text: 'so' }, { text: '', thought: true, ...sealed })?.parts).toMatchObject([
      { type: 'text', text: 'so' },
      { type: 'reasoning', text: '', opaque: foreign },
    ])
  })
})
