import { describe, expect, test } from 'bun:test'
import { nameResults } from '../../../../src/protocols/fit/name-results.ts'
import { call, requestOf, result, turn } from './build-request.ts'

describe('naming results', () => {
  test('each has the name of its call; one without a call has none', () => {
    const named = nameResults(
      requestOf({
        turns: [
          turn('assistant', call('c1', 'search'), call('c2', 'read')),
          turn('user', result('c2'), result('c1'), result('c9')),
        ],
      }),
    )
    const names = named.turns[1]?.parts.map((part) =>
      part.type === 'tool-result' ? part.name : '',
    )
    expect(names).toEqual(['read', 'search', undefined])
  })

  test('an id that is used twice means the preceding call', () => {
    const named = nameResults(
      requestOf({
        turns: [
          turn('assistant', call('c1', 'first')),
          turn('user', result('c1')),
          turn('assistant', call('c1', 'second')),
          turn('user', result('c1')),
        ],
      }),
    )
    expect(named.turns[1]?.parts[0]).toMatchObject({ name: 'first' })
    expect(named.turns[3]?.parts[0]).toMatchObject({ name: 'second' })
  })

  test('without results the request stays unchanged', () => {
    const request = requestOf({
      turns: [turn('assistant', call('c1', 'a')), turn('user', result('c1', { name: 'a' }))],
    })
    expect(nameResults(request)).toBe(request)
  })
})
