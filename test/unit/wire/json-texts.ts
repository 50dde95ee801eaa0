import fc from 'fast-check'
import { anyCharacter } from '../../support/any-character.ts'

const space = fc.constantFrom('', '', '', ' ', '\n', '\t ', '\r\n')
const numbers = fc.constantFrom(
  '0',
  '-0',
  '1.0',
  '1e3',
  '1E+05',
  '-12.50',
  '123456789012345678901',
  '0.1',
)
const words = fc.constantFrom('true', 'false', 'null')

/** A string in any valid spelling. */
const spelled = fc
  .string({ unit: anyCharacter, maxLength: 8 })
  .chain((text) =>
    fc.constantFrom(
      JSON.stringify(text),
      `"${escapeOf(text)}"`,
      JSON.stringify(text).replaceAll('/', '\\/'),
    ),
  )

function escapeOf(plain: string): string {
  let text = ''
  for (let index = 0; index < plain.length; index += 1)
    text += `\\u${plain.charCodeAt(index).toString(16).padStart(4, '0')}`
  return text
}

const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, numbers, words, spelled, tie('list'), tie('object')),
  list: fc
    .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 3 }))
    .map(([inside, items]) => `[${inside}${items.map((item) => item.join('')).join(',')}]`),
  object: fc
    .uniqueArray(fc.tuple(spelled, space, space, tie('value'), space), {
      maxLength: 3,
      selector: ([name]) => JSON.parse(name) as unknown,
    })
    .filter((members) => members.every(([name]) => JSON.parse(name) !== '__proto__'))
    .map((members) => `{${members.map(([name, ...rest]) => name + glue(rest)).join(',')}}`),
}))

function glue([before = '', after = '', content = '', end = '']: readonly string[]): string {
  return `${before}:${after}${content}${end}`
}

export interface WrittenMember {
  readonly name: string
  /** Everything before the value, from the comma or brace on. */
  readonly before: string
  readonly value: string
  readonly after: string
}

/** An object with known members, in text of any spelling, with the text around it. */
export const writtenObjects = fc
  .record({
    lead: space,
    tail: space,
    members: fc.uniqueArray(fc.tuple(spelled, space, space, space, value, space), {
      maxLength: 6,
      selector: ([name]) => JSON.parse(name) as unknown,
    }),
  })
  .filter(({ members }) => members.every(([name]) => JSON.parse(name) !== '__proto__'))
  .map(({ lead, tail, members }) => {
    const written = members.map(
      ([name, first, second, third, content, after]): WrittenMember => ({
        name: String(JSON.parse(name)),
        before: `${first}${name}${second}:${third}`,
        value: content,
        after,
      }),
    )
    return { lead, tail, written, text: textOf(lead, written, tail) }
  })

export function textOf(lead: string, written: readonly WrittenMember[], tail: string): string {
  const inside = written.map((each) => each.before + each.value + each.after).join(',')
  return `${lead}{${inside}}${tail}`
}
