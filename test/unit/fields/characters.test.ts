import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { textLimit } from '../../../console/src/parts/forms/text-limit.ts'
import { accountDefinition } from '../../../src/accounts/definition/account.ts'
import { operations } from '../../../src/console-api/contract/operations/operations.ts'
import { readInput } from '../../../src/console-api/http/read-input.ts'
import { ApiRefusal } from '../../../src/console-api/refusal.ts'
import { hasAtLeast, hasAtMost } from '../../../src/core/text/characters.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import {
  emailKind,
  idKind,
  nameKind,
  passwordKind,
  plainTextKind,
  urlKind,
} from '../../../src/fields/kinds.ts'
import { nameCharactersMax } from '../../../src/fields/problems.ts'
import { terminals } from '../cli/run-line.ts'
import { loadText, refusalOf } from '../config/load-text.ts'

const openTerminal = terminals()
/** Two units of UTF-16, one character. */
const emoji = '😀'
const longest = emoji.repeat(nameCharactersMax)
const tooLong = `${longest}x`
const must = `must be a name of 1 to ${nameCharactersMax} characters on one line`

describe('characters are code points', () => {
  test.each([
    ['', 0],
    ['a', 1],
    [emoji, 1],
    [`a${emoji}é中`, 4],
    ['e\u0301', 2],
  ])('%p has %i', (text, count) => {
    expect([hasAtLeast(text, count), hasAtLeast(text, count + 1)]).toEqual([true, false])
    expect([hasAtMost(text, count), hasAtMost(text, count - 1)]).toEqual([true, false])
  })

  test('in the file', () => {
    const fileWith = (name: string) => ({
      text: `provision: { accounts: [{ id: a, name: ${name} }] }`,
    })
    expect(loadText(fileWith(longest)).provision.accounts[0]?.name).toBe(longest)
    expect(refusalOf(fileWith(tooLong))).toContain(must)
  })

  test('on the command line', async () => {
    const terminal = openTerminal()
    expect(await terminal.run(`accounts create a --name ${longest}`)).toMatchObject({ code: 0 })
    const said = await terminal.run(`accounts create b --name ${tooLong}`)
    expect(said.code).toBe(2)
    expect(said.err).toContain(`--name ${must}`)
  })

  test('in the API', () => {
    const { body } = operations['POST /operate/accounts']
    const read = (name: string) => readInput(body, { id: 'a', name }, 'body')
    expect(read(longest)).toMatchObject({ name: longest })
    expect(() => read(tooLong)).toThrow(ApiRefusal)
    expect(() => read(tooLong)).toThrow(must)
  })

  test('in forms: the browser accepts that many characters, and the rule rejects one more', () => {
    const { kind } = accountDefinition.fields.name
    const { maxLength = 0 } = textLimit(kind)
    expect(longest.length).toBeLessThanOrEqual(maxLength)
    expect(findProblem(kind.wire, longest)).toBeUndefined()
    for (const text of [tooLong, 'x'.repeat(nameCharactersMax + 1)]) {
      expect(findProblem(kind.wire, text)).toMatchObject({
        problem: 'name_wrong',
        values: { max: nameCharactersMax },
      })
    }
    expect(textLimit({})).toEqual({})
  })

  test('of a password, the least too', () => {
    expect(findProblem(passwordKind.wire, emoji.repeat(12))).toBeUndefined()
    expect(findProblem(passwordKind.wire, emoji.repeat(11))?.problem).toBe('password_short')
    expect(findProblem(passwordKind.wire, emoji.repeat(256))).toBeUndefined()
    expect(findProblem(passwordKind.wire, emoji.repeat(257))?.problem).toBe('password_long')
  })

  test.each([
    ['name', nameKind],
    ['id', idKind],
    ['email', emailKind],
    ['password', passwordKind],
    ['text', plainTextKind(7)],
    ['address', urlKind],
  ])('other programs are told the most of a %s, which is that of the form', (_, kind) => {
    const told = z.toJSONSchema(kind.wire, { io: 'input' })
    expect(told.maxLength).toBe(kind.charactersMax as number)
    expect(told.minLength).toBeGreaterThan(0)
  })
})
