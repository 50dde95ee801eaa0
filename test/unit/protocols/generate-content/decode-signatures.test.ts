import { describe, expect, test } from 'bun:test'
import { sealOpaqueAsBase64 } from '../../../../src/protocols/seal-opaque.ts'
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
  const sealed = sealOpaqueAsBase64(foreign)
  const call = { functionCall: { name: 'f', args: {} } }

  test('the service’s own stay on their part', () => {
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

  test('one without text belongs to the text before it, or stands for thoughts', () => {
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

  test('one of another vendor goes back to the thoughts before it', () => {
    for (const part of [{ text: 'so' }, call]) {
      const parts = said(
        { text: 'hm', thought: true },
        { ...part, thoughtSignature: sealed },
      )?.parts
      expect(parts).toMatchObject([{ type: 'reasoning', text: 'hm', opaque: foreign }, {}])
      expect(parts?.[1]).not.toHaveProperty('opaque', foreign)
    }
  })

  test('with the thoughts left out by the client it is still returned', () => {
    expect(said({ text: 'so', thoughtSignature: sealed })?.parts).toMatchObject([
      { type: 'reasoning', text: '', opaque: foreign },
      { type: 'text', text: 'so' },
    ])
    const hidden = { ...foreign, kind: 'sealed' } as const
    expect(said({ ...call, thoughtSignature: sealOpaqueAsBase64(hidden) })?.parts).toMatchObject([
      { type: 'reasoning', opaque: hidden },
      { type: 'tool-call' },
    ])
  })
})
