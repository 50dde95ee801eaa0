import type { Chance } from '../simulation/chance.ts'

const lone = '\ud800'
/** Texts that some parser misinterprets. */
const texts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  lone,
  `${lone}\udc00`,
  '\u2028\u2029',
  '\ufeff',
  '\u202e',
  'e\u0301'.repeat(50),
  '../../../etc/passwd',
  "' OR 1=1 --",
  '\u0024{jndi:ldap://x}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'data: {"error":1}\n\n',
  '\r\nx-evil: 1\r\n\r\n',
  '[DONE]',
  '__proto__',
  'constructor',
  'true',
  'null',
  '1e999',
  '-0',
  'x'.repeat(300),
  '🌍'.repeat(200),
  'a'.repeat(70_000),
]
const numbers: readonly string[] = [
  '0',
  '-0',
  '-1',
  '1.5',
  '1e308',
  '1e999',
  '-1e999',
  '9007199254740993',
  '99999999999999999999999999',
  '1e-400',
  '2147483648',
  '-2147483649',
  '0.1e1',
]
const names: readonly string[] = [
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
  'toJSON',
  'length',
  '0',
  '',
  '\0',
  lone,
  '$ref',
  'type',
]

/** A value as JSON text with a few changes, so that most of it still matches the protocol. */
export function mutatedJson(value: unknown, chance: Chance, rate: number): string {
  if (chance.is(rate)) return anything(chance, 0)
  if (Array.isArray(value)) {
    const items = value.map((each) => mutatedJson(each, chance, rate))
    if (items.length > 0 && chance.is(rate)) items.push(...items)
    if (chance.is(rate)) items.reverse()
    if (chance.is(rate / 2)) items.length = 0
    return `[${items.join()}]`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    if (chance.is(rate / 2)) continue
    const called = chance.is(rate / 4) ? pick(chance, names) : name
    members.push(`${JSON.stringify(called)}:${mutatedJson(member, chance, rate)}`)
    if (chance.is(rate / 8)) members.push(`${JSON.stringify(name)}:${anything(chance, 0)}`)
  }
  if (chance.is(rate)) members.push(`${JSON.stringify(pick(chance, names))}:${anything(chance, 0)}`)
  if (chance.is(rate / 20)) members.push(`"__proto__":{"isAdmin":true}`)
  return `{${members.join()}}`
}

/** Random JSON text. */
export function anything(chance: Chance, depth: number): string {
  switch (chance.whole(0, depth > 3 ? 4 : 8)) {
    case 0:
      return chance.oneOf('null', 'true', 'false')
    case 1:
    case 2:
      return pick(chance, numbers)
    case 3:
    case 4:
      return JSON.stringify(pick(chance, texts))
    case 5:
      return `[${manyOf(chance, depth).join()}]`
    case 6: {
      const members = manyOf(chance, depth).map(
        (each, index) => `${JSON.stringify(`${pick(chance, names)}${index}`)}:${each}`,
      )
      return `{${members.join()}}`
    }
    case 7: {
      const levels = chance.oneOf(5, 60, 120, 200, 3_000)
      return '['.repeat(levels) + ']'.repeat(levels)
    }
    default:
      return `[${Array.from({ length: chance.whole(0, 300) }, () => '{}').join()}]`
  }
}

function manyOf(chance: Chance, depth: number): string[] {
  return Array.from({ length: chance.whole(0, 4) }, () => anything(chance, depth + 1))
}

export function pick<Item>(chance: Chance, items: readonly Item[]): Item {
  const [first, ...others] = items
  if (items.length === 0) throw new Error('nothing to pick from')
  return chance.oneOf(first as Item, ...others)
}

/** Damages the bytes of a body: truncated, duplicated, or invalid UTF-8. */
export function damaged(text: string, chance: Chance): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Buffer.from(text))
  const at = chance.whole(0, Math.max(0, bytes.length - 1))
  switch (chance.whole(0, 5)) {
    case 0:
      return bytes.slice(0, at)
    case 1:
      return joined(bytes, bytes)
    case 2:
      bytes[at] = chance.oneOf(0xff, 0xc0, 0x80, 0xed, 0x00, 0x22, 0x5c)
      return bytes
    case 3:
      return joined(new Uint8Array([0xef, 0xbb, 0xbf]), bytes)
    case 4:
      return joined(bytes, new Uint8Array([0x00, 0x01, 0x0a]))
    default:
      // An overlong encoding of a slash.
      return joined(bytes.slice(0, at), new Uint8Array([0xc0, 0xaf]), bytes.slice(at))
  }
}

function joined(...pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(pieces))
}
