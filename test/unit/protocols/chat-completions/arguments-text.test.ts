import { describe, expect, test } from 'bun:test'
import { ArgumentsText } from '../../../../src/protocols/chat-completions/decode-reply/arguments-text.ts'

const rows: [pieces: readonly string[], isObject: boolean][] = [
  [['{}'], true],
  [['{', '"a":', '{"b":[1,{}]}', '}'], true],
  [[' {"a":1} ', ' \n'], true],
  [['{"a":"}'], false],
  [['{"a":"}', '}', '}', '"}'], true],
  [['{"a":"\\', '"}', '"}'], true],
  [['{"a":"\\\\"}'], true],
  [['{}', '{}'], false],
  [['{} x'], false],
  [['[{}]'], false],
  [['{"a":}'], false],
  [['{"a":[}'], false],
  [['"{}"'], false],
  [['}'], false],
  [[''], false],
  [['{"a":"', ...Array.from({ length: 5_000 }, () => '}'), '"}'], true],
]

describe('arguments that arrive in pieces', () => {
  test.each(rows)('%j is an object: %p, at any time', (pieces, isObject) => {
    const [once, often] = [new ArgumentsText(), new ArgumentsText()]
    let taken = ''
    for (const piece of pieces) {
      once.add(piece)
      often.add(piece)
      often.isObject()
      taken += often.take()
    }
    expect([once.isObject(), often.isObject()]).toEqual([isObject, isObject])
    expect(taken).toBe(pieces.join(''))
    expect(once.take()).toBe(taken)
    expect(once.take()).toBe('')
    expect(once.isEmpty).toBe(taken === '')
  })
})
