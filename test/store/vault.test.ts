import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isSecretOfDatabase } from '../../src/store/check-secret.ts'
import { hashPassword, isPasswordOf } from '../../src/store/password.ts'
import { createVault } from '../../src/store/vault.ts'
import { keptStages } from './engine-stage.ts'

const vault = createVault(Buffer.from('a secret of the tests, long enough'))
const otherVault = createVault(Buffer.from('another secret, just as long as it'))

describe('vault', () => {
  test('what is sealed opens again, for its purpose alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (value, one, other) => {
        const sealed = vault.seal(value.toWellFormed(), one)
        expect(vault.open(sealed, one)).toBe(value.toWellFormed())
        if (one !== other) expect(() => vault.open(sealed, other)).toThrow()
        expect(() => otherVault.open(sealed, one)).toThrow()
      }),
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
