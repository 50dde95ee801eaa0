import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { tightTextTokens } from '../../../src/gateway/admit/bound-text.ts'
import { readJsonBody } from '../../../src/gateway/admit/read-json-body.ts'
import { findMembers } from '../../../src/wire/find-members.ts'
import { parseJson } from '../../../src/wire/json.ts'
import { repeats } from '../../support/repeats.ts'

/*
 * A long body is read without joining it to one string: the insides of its long strings are cut out as bytes. The
 * parsed value must equal that of JSON.parse, and the written bytes must be the same.
 */
const mint = (prefix: string) => `${prefix}0123456789abcdefghijkl`
const read = async (text: string | Buffer) => readJsonBody(Buffer.from(text), mint)
const mebi = 1024 * 1024
const piece = 64 * 1024
/** A little longer than a body that is read in one string. */
const enough = mebi + piece

/** Escaped strings: a cut must not split a character or an escape sequence. */
const strings: Readonly<Record<string, string>> = {
  plain: 'a'.repeat(enough),
  'one character beyond Latin-1 at the beginning': `文${'a'.repeat(enough)}`,
  'one character beyond Latin-1 at the end': `${'a'.repeat(enough)}文`,
  'one character beyond Latin-1 at the end of a piece': `${'a'.repeat(192 + piece - 1)}文${'b'.repeat(mebi)}`,
  'surrogate pairs': `a${'😀'.repeat(300_000)}`,
  'Latin-1 letters': 'é'.repeat(enough / 2),
  'escape sequences of two characters': '\\n'.repeat(enough / 2),
  'escape sequences of six characters': '\\u00e9'.repeat(200_000),
  'escaped surrogate pairs': '\\ud83d\\ude00'.repeat(100_000),
  'lone surrogates': '\\ud83d'.repeat(200_000),
  'escaped quotes and backslashes': `${'\\"\\\\'.repeat(300_000)}x`,
  'an escape sequence at the end of a piece': `${'a'.repeat(192 + piece - 3)}\\u6587${'b'.repeat(mebi)}`,
  'a backslash at the end of a piece': `${'a'.repeat(192 + piece - 1)}\\\\${'b'.repeat(mebi)}`,
  'characters that other parsers treat as line ends': '\u2028\u0085'.repeat(250_000),
}

const places: Readonly<Record<string, (string: string) => string>> = {
  'in a member': (string) => `{"model":"m","input":"${string}","store":false}`,
  'in a list': (string) => `{"input":["${string}","${string}"] , "model":"m" }`,
  'in a list, after a long name': (string) =>
    `{"${'文\\n'.repeat(300)}":1,"input":[{"content":"${string}"}]}`,
}

describe.each(Object.keys(strings))('a string: %s', (name) => {
  test.each(Object.keys(places))('%s', async (place) => {
    const text = places[place]?.(strings[name] ?? '') ?? ''
    const body = await read(text)
    expect(body.value).toEqual(parseJson(text) as Record<string, unknown>)
    const { cuts } = body
    if (!cuts) throw new Error('nothing was taken out')
    expect(body.text.length).toBeLessThan(10_000)
    expect(Buffer.concat(await cuts.fill(body.text)).equals(Buffer.from(text))).toBe(true)
    expect(body.text.length + cuts.characters).toBe(text.length)
    expect(cuts.byteLengthOf(body.text)).toBe(Buffer.byteLength(text))
    expect(body.escapes).toBe(text.match(/\\./g)?.length ?? 0)
    expect([...body.members]).toEqual([...findMembers(body.text)])
  })
})

const long = 'a'.repeat(enough)
const refused: Readonly<Record<string, readonly [Buffer | string, string]>> = {
  'a byte that is not UTF-8': [
    Buffer.concat([Buffer.from(`{"a":"${long}`), Buffer.from([0xff]), Buffer.from('"}')]),
    'it is not valid UTF-8',
  ],
  'half of a character': [
    Buffer.concat([Buffer.from(`{"a":"${long}`), Buffer.from([0xe6, 0x96]), Buffer.from('"}')]),
    'it is not valid UTF-8',
  ],
  'a string that is not closed': [`{"a":"${long}`, 'a string is not closed'],
  'a string that is not closed after one that is': [
    `{"a":"${long}","b":"${long}`,
    'a string is not closed',
  ],
  'a string that ends in a backslash': [`{"a":"${long}\\`, 'it is not valid JSON'],
  'a line break inside a string': [`{"a":"${long}\n${long}"}`, 'it is not valid JSON'],
  'an unknown escape sequence': [`{"a":"${long}\\x${long}"}`, 'it is not valid JSON'],
  'an escape sequence that is too short': [`{"a":"${long}\\u12g4"}`, 'it is not valid JSON'],
  'a duplicate name': [`{"a":"${long}","a":1}`, 'the name "a" appears twice'],
  'a duplicate long name': [
    `{"${long.slice(0, 600)}":"${long}","${long.slice(0, 600)}":1}`,
    'twice',
  ],
  'text after the object': [`{"a":"${long}"} 1`, 'it is not valid JSON'],
  'a list': [`["${long}"]`, 'it is not a JSON object'],
  'a string': [`"${long}"`, 'it is not a JSON object'],
  'names that are too long': [`{"${long}":1}`, 'names'],
}

describe('a long body that is refused', () => {
  test.each(Object.keys(refused))('%s', async (name) => {
    const [body, why] = refused[name] ?? ['', '']
    const outcome = await read(body).catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(Error)
    expect(String(outcome)).toContain(why)
  })
})

test.each([
  ['a long text', { input: long, tools: [{ name: 'f', description: 'short' }] }],
  ['long descriptions of tools', { input: 'hi', tools: [{ name: 'f', description: long }] }],
  ['a long unknown member', { input: 'hi', unknown: { deep: [`文${long}`, long] } }],
  [
    'many strings of medium length',
    { input: 'hi', unknown: Array(2_000).fill(`文${long.slice(0, 900)}`) },
  ],
])('%s has at most the estimate of one string of the same length', async (_, value) => {
  const text = JSON.stringify(value)
  const body = await read(text)
  expect(body.cuts).toBeDefined()
  expect(tightTextTokens(body)).toBe(tightTextTokens({ text, value, members: findMembers(text) }))
})

test('any body of long and short strings is read as JSON.parse reads it', async () => {
  const units = fc.constantFrom('a', 'é', '文', '😀', '\\', '"', '\n', '\ud83d', '\u2028')
  const string = fc
    .tuple(fc.array(units, { maxLength: 40 }), fc.nat(40_000))
    .map(([letters, times]) => letters.join('').repeat(Math.ceil(times / (letters.length + 1))))
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      string,
      fc.integer(),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(fc.string({ maxLength: 700 }), tie('value'), { maxKeys: 6 }),
    ),
  })).value
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 20 }), async (values) => {
      const text = JSON.stringify({ values, filling: 'f'.repeat(mebi) })
      if (text.includes('"__proto__"')) return
      const body = await read(text)
      expect(body.value).toEqual(parseJson(text) as Record<string, unknown>)
      expect(body.cuts?.fillText(body.text)).toBe(text)
    }),
    { numRuns: repeats(20) },
  )
})
