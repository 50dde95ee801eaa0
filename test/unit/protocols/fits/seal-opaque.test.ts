import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Opaque } from '../../../../src/core/neutral/model-request.ts'
import {
  mayHoldSealed,
  openSealed,
  openSealedBase64,
  sealOpaque,
  sealOpaqueAsBase64,
} from '../../../../src/protocols/fit/seal-opaque.ts'
import { anyCharacter } from '../../../support/any-character.ts'
import { repeats } from '../../../support/repeats.ts'

const words = fc.string({ unit: anyCharacter, maxLength: 60 }).filter((text) => text.isWellFormed())
const opaque: fc.Arbitrary<Opaque> = fc.record({
  issuer: words.filter((text) => text !== ''),
  kind: fc.constantFrom('signature' as const, 'sealed' as const),
  data: words,
})

describe('a vendor’s token on its way through a client', () => {
  test('is restored unchanged, and is recognised by its prefix anywhere', () => {
    fc.assert(
      fc.property(opaque, (token) => {
        const sealed = sealOpaque(token)
        expect(openSealed(sealed)).toEqual(token)
        expect(sealed).toMatch(/^gw1\.[se]\.[\w-]+\.[\w-]*$/)
        expect(mayHoldSealed(JSON.stringify({ a: [sealed] }))).toBe(true)
        const base64 = sealOpaqueAsBase64(token)
        expect(openSealedBase64(base64)).toEqual(token)
        expect(base64).toMatch(/^[A-Za-z0-9+/]+=*$/)
        expect(mayHoldSealed(JSON.stringify({ a: [base64] }))).toBe(true)
      }),
      { numRuns: repeats(500) },
    )
  })

  test('a token as long as vendors make them', () => {
    const token: Opaque = {
      issuer: 'google/gemini',
      kind: 'sealed',
      data: 'QUJD+/=='.repeat(20_000),
    }
    expect(openSealed(sealOpaque(token))).toEqual(token)
    expect(openSealedBase64(sealOpaqueAsBase64(token))).toEqual(token)
  })

  const foreign = [
    '',
    'EqQBCkgIBBABGAIiQL',
    'gw1',
    'gw1.s',
    'gw1.s.',
    'gw1.s..ZGF0YQ',
    'gw1.s.aXNzdWVy',
    'gw1.s.aXNzdWVy.ZGF0YQ.more',
    'gw1.s.a*b.ZGF0YQ',
    'gw1.s.aXNzdWVy.%%%',
    'gw1.s._w.ZGF0YQ',
    'gw2.s.aXNzdWVy.ZGF0YQ',
    'skip_thought_signature_validator',
  ]
  test.each(foreign)('%j is not an envelope and does not throw', (text) => {
    expect(openSealed(text)).toBeUndefined()
    expect(openSealedBase64(text)).toBeUndefined()
    expect(openSealedBase64(`Z3cxLnMu${text}`)).toBeUndefined()
  })

  test('any text at all is read without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        openSealed(text)
        openSealed(`gw1.s.${text}`)
        openSealedBase64(`Z3cxLnMu${text}`)
      }),
    )
  })
})
