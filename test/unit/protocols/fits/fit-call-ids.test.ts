import { describe, expect, test } from 'bun:test'
import type { ModelRequest, Turn } from '../../../../src/core/neutral/model-request.ts'
import { fitCallIds } from '../../../../src/protocols/fit/fit-call-ids.ts'
import { call, plainRules, requestOf, result, text, turn } from './build-request.ts'

/** The ids of calls and results in order. */
function idsIn(request: ModelRequest): string[] {
  return request.turns.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type === 'tool-call') return [part.id]
      return part.type === 'tool-result' ? [part.callId] : []
    }),
  )
}

function fittedIds(...turns: Turn[]): string[] {
  return idsIn(fitCallIds(requestOf({ turns }), plainRules))
}

describe('fitting call ids to an upstream', () => {
  test('ids that fit stay, and so does the request', () => {
    const request = requestOf({
      turns: [
        turn('assistant', call('toolu_01', 'a'), call('call-2', 'b')),
        turn('user', result('call-2')),
      ],
    })
    expect(fitCallIds(request, plainRules)).toBe(request)
  })

  const illegal = ['functions.search:0', 'call 1', 'x'.repeat(65), '', 'ид', 'a\nb']
  test.each(illegal)('%j is replaced, in the call and in its result alike', (id) => {
    const ids = fittedIds(turn('assistant', call(id, 'a')), turn('user', result(id)))
    expect(ids[0]).toMatch(/^[a-zA-Z0-9_-]{9,64}$/)
    expect(ids[1]).toBe(ids[0] ?? '')
    expect(fittedIds(turn('assistant', call(id, 'a')))[0]).toBe(ids[0] ?? '')
  })

  test('different ids stay different, and none replaces an id that fits', () => {
    const [replaced = ''] = fittedIds(turn('assistant', call('a:1', 'a')))
    const ids = fittedIds(
      turn('assistant', call('a:1', 'a'), call('a.1', 'a'), call(replaced, 'a')),
    )
    expect(new Set(ids).size).toBe(3)
    expect(ids[2]).toBe(replaced)
  })

  test('an id that a later turn uses again becomes another there, with its result', () => {
    const ids = fittedIds(
      turn('assistant', call('call_0', 'a')),
      turn('user', result('call_0')),
      turn('assistant', text('next'), call('call_0', 'b')),
      turn('user', result('call_0')),
    )
    expect(ids.slice(0, 2)).toEqual(['call_0', 'call_0'])
    expect(ids[2]).not.toBe('call_0')
    expect(ids[3]).toBe(ids[2] ?? '')
  })

  test('calls of one turn that share an id get separate ids, their results in order', () => {
    const ids = fittedIds(
      turn('assistant', call('call_f', 'f'), call('call_f', 'f')),
      turn('user', result('call_f'), result('call_f')),
    )
    expect(ids[0]).not.toBe(ids[1] ?? '')
    expect(ids.slice(2)).toEqual(ids.slice(0, 2))
  })
})
