import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Engine } from '../../../src/store/engine.ts'
import { openVault } from '../../../src/store/secrets/open-vault.ts'
import { hashPassword, isPasswordOf } from '../../../src/store/secrets/password.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

const vault = createVault(Buffer.from('a secret of the tests, long enough'))
const otherVault = createVault(Buffer.from('another secret, just as long as it'))

describe('vault', () => {
  test('a sealed value opens again, only for its purpose', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.string(),
        fc.string(),
        (value, one, other) => {
          const sealed = vault.seal(value.toWellFormed(), one)
          expect(vault.open(sealed, one)).toBe(value.toWellFormed())
          if (one !== other) expect(() => vault.open(sealed, other)).toThrow()
          expect(() => otherVault.open(sealed, one)).toThrow()
        },
      ),
    )
  })

  test('sealing a value twice gives different texts, hashing it twice gives the same', () => {
    expect(vault.seal('value', 'p')).not.toBe(vault.seal('value', 'p'))
    expect(vault.lookupHash('value')).toBe(vault.lookupHash('value'))
    expect(vault.lookupHash('value')).not.toBe(vault.lookupHash('valuf'))
    expect(vault.lookupHash('value')).not.toBe(otherVault.lookupHash('value'))
  })

  test('neither form contains the value', () => {
    const value = 'sk-something-that-must-not-show'
    const forms = vault.seal(value, 'p') + vault.lookupHash(value)
    expect(forms).not.toContain(value)
    expect(forms).not.toContain(Buffer.from(value).toString('base64url'))
    expect(forms).not.toContain(Buffer.from(value).toString('hex'))
  })

  test('a sealed text that is changed in any byte or truncated does not open', () => {
    const sealed = Buffer.from(vault.seal('some value', 'p'), 'base64url')
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(() => vault.open(changed.toString('base64url'), 'p')).toThrow()
      const cut = sealed.subarray(0, index).toString('base64url')
      expect(() => vault.open(cut, 'p')).toThrow()
    }
  })
})

describe('a long value', () => {
  const rows: [string, readonly string[]][] = [
    ['nothing', []],
    ['a short value', ['a', '🌍']],
    ['a value of several turns', Array.from({ length: 9 }, () => 'Łódź 文字 🌍 '.repeat(30_000))],
  ]
  test.each(rows)(
    '%s is sealed in turns like in one step, and opened in turns',
    async (_, pieces) => {
      const value = pieces.join('')
      const sealed = await vault.sealSlowly(pieces, 'p')
      expect(vault.open(sealed, 'p') === value).toBe(true)
      expect((await vault.openSlowly(sealed, 'p')) === value).toBe(true)
      expect((await vault.openSlowly(vault.seal(value, 'p'), 'p')) === value).toBe(true)
      expect(sealed.length).toBe(vault.seal(value, 'p').length)
    },
  )

  test('a value for another purpose, with another secret, changed or truncated does not open', async () => {
    const sealed = await vault.sealSlowly(['x'.repeat(2_000_000)], 'p')
    const changed = `${sealed.slice(0, -9)}${sealed.at(-9) === 'A' ? 'B' : 'A'}${sealed.slice(-8)}`
    const tries = [
      () => vault.openSlowly(sealed, 'q'),
      () => otherVault.openSlowly(sealed, 'p'),
      () => vault.openSlowly(changed, 'p'),
      () => vault.openSlowly(sealed.slice(0, -4), 'p'),
      () => vault.openSlowly('', 'p'),
    ]
    for (const attempt of tries) expect(await attempt().catch(() => 'refused')).toBe('refused')
  })
})

describe('password', () => {
  test('only the password matches its hash, and two hashes differ', async () => {
    const [hash, again] = await Promise.all([hashPassword('correct'), hashPassword('correct')])
    expect(hash).toStartWith('$argon2id$')
    expect(hash).not.toBe(again)
    expect(await isPasswordOf('correct', hash)).toBe(true)
    expect(await isPasswordOf('Correct', hash)).toBe(false)
    expect(await isPasswordOf('', hash)).toBe(false)
  })
})

describe.each(sharedFixtures('secret of the database'))(
  'secret of the database on $kind',
  (fixture) => {
    test('the first secret becomes that of the database, and another one is detected', async () => {
      const [one, two] = await fixture.openTwo()
      const indexOf = async (engine: Engine, ...secrets: string[]) =>
        (await openVault(engine.db, secrets))?.secretIndex
      expect(await indexOf(one, 'mine')).toBe(0)
      expect(await indexOf(two, 'mine')).toBe(0)
      expect(await indexOf(two, 'other')).toBeUndefined()
      expect(await indexOf(two, 'other', 'mine')).toBe(1)
      expect(await indexOf(one, 'mine')).toBe(0)
    })
  },
)
