import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isSecretOfDatabase } from '../../src/store/check-secret.ts'
import { hashPassword, isPasswordOf } from '../../src/store/password.ts'
import { createVault } from '../../src/store/vault.ts'
import { anyCharacter } from '../support/any-character.ts'
import { keptStages } from './engine-stage.ts'

const vault = createVault(Buffer.from('a secret of the tests, long enough'))
const otherVault = createVault(Buffer.from('another secret, just as long as it'))

describe('vault', () => {
  test('what is sealed opens again, for its purpose alone', () => {
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

  test('the same value never looks the same twice when sealed, and always when hashed', () => {
    expect(vault.seal('value', 'p')).not.toBe(vault.seal('value', 'p'))
    expect(vault.lookupHash('value')).toBe(vault.lookupHash('value'))
    expect(vault.lookupHash('value')).not.toBe(vault.lookupHash('valuf'))
    expect(vault.lookupHash('value')).not.toBe(otherVault.lookupHash('value'))
  })

  test('neither form holds the value', () => {
    const value = 'sk-something-that-must-not-show'
    const forms = vault.seal(value, 'p') + vault.lookupHash(value)
    expect(forms).not.toContain(value)
    expect(forms).not.toContain(Buffer.from(value).toString('base64url'))
    expect(forms).not.toContain(Buffer.from(value).toString('hex'))
  })

  test('a sealed text with any one byte changed, or cut anywhere, does not open', () => {
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
    ['a short one', ['a', '🌍']],
    ['one of several turns', Array.from({ length: 9 }, () => 'Łódź 文字 🌍 '.repeat(30_000))],
  ]
  test.each(rows)('%s is sealed in turns like at once, and opened in turns', async (_, pieces) => {
    const value = pieces.join('')
    const sealed = await vault.sealSlowly(pieces, 'p')
    expect(vault.open(sealed, 'p') === value).toBe(true)
    expect((await vault.openSlowly(sealed, 'p')) === value).toBe(true)
    expect((await vault.openSlowly(vault.seal(value, 'p'), 'p')) === value).toBe(true)
    expect(sealed.length).toBe(vault.seal(value, 'p').length)
  })

  test('for another purpose, with another secret, changed or cut it does not open', async () => {
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
  test('only the password itself fits its hash, and two hashes differ', async () => {
    const [hash, again] = await Promise.all([hashPassword('correct'), hashPassword('correct')])
    expect(hash).toStartWith('$argon2id$')
    expect(hash).not.toBe(again)
    expect(await isPasswordOf('correct', hash)).toBe(true)
    expect(await isPasswordOf('Correct', hash)).toBe(false)
    expect(await isPasswordOf('', hash)).toBe(false)
  })
})

describe.each(keptStages('secret of the database'))('secret of the database on $kind', (stage) => {
  test('the first secret is the database’s own, another is noticed', async () => {
    const [one, two] = await stage.openTwo()
    expect(await isSecretOfDatabase(one, vault)).toBe(true)
    expect(await isSecretOfDatabase(two, vault)).toBe(true)
    expect(await isSecretOfDatabase(two, otherVault)).toBe(false)
    expect(await isSecretOfDatabase(one, vault)).toBe(true)
  })
})
