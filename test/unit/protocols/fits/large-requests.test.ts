import { describe, expect, test } from 'bun:test'
import type { ReasoningPart, Tool } from '../../../../src/core/neutral/model-request.ts'
import { answerCalls } from '../../../../src/protocols/fit/answer-calls.ts'
import { restoreReasoning } from '../../../../src/protocols/fit/carry-reasoning.ts'
import { fitTools } from '../../../../src/protocols/fit/fit-tools.ts'
import { openSealed, sealOpaque, splitSealed } from '../../../../src/protocols/fit/seal-opaque.ts'
import { InputUnwrapper } from '../../../../src/protocols/fit/unwrap-input.ts'
import { responses } from '../../../../src/protocols/responses/index.ts'
import { parseJson } from '../../../../src/wire/json.ts'
import { call, lenient, plainRules, requestOf, result, turn } from './build-request.ts'

const many = 20_000

function listOf<Item>(item: (index: number) => Item): Item[] {
  return Array.from({ length: many }, (_, index) => item(index))
}

function thought(text: string, data: string): ReasoningPart {
  return { type: 'reasoning', text, opaque: { issuer: 'i', kind: 'signature', data } }
}

/** Each of these would take minutes or gigabytes if work grew with the square of what a client sends. */
describe('requests that are designed to be slow', () => {
  test('one id for all calls of a turn', () => {
    const calls = listOf(() => call('c:1', 'f'))
    const results = listOf(() => result('c:1'))
    const turns = [turn('assistant', ...calls), turn('user', ...results)]
    const { request } = fitTools(
      answerCalls(requestOf({ turns }), lenient()),
      plainRules,
      lenient(),
    )
    const ids = request.turns[0]?.parts.map((part) => (part.type === 'tool-call' ? part.id : ''))
    expect(new Set(ids).size).toBe(many)
  })

  test('one id for the calls of all turns, and none of them answered', () => {
    const turns = listOf((index) => turn(index % 2 === 0 ? 'assistant' : 'user', call('c', 'f')))
    const answered = answerCalls(requestOf({ turns }), lenient())
    expect(fitTools(answered, plainRules, lenient()).request.turns.length).toBeGreaterThan(many / 2)
  })

  test('every call in a turn of its own, results at the end', () => {
    const turns = listOf((index) => turn('assistant', call(`c${index}`, 'f')))
    const results = turn('user', ...listOf((index) => result(`c${many - 1 - index}`)))
    const answered = answerCalls(requestOf({ turns: [...turns, results] }), lenient())
    expect(answered.turns.map(({ parts }) => parts.length)).toEqual([many, many])
  })

  test('one long result, and very many more for the same call', () => {
    const parts = listOf((index) => ({ type: 'text' as const, text: `line ${index}` }))
    const long = { ...result('c'), parts }
    const turns = [
      turn('assistant', call('c', 'f')),
      turn('user', long, ...listOf(() => result('c'))),
    ]
    const notes = lenient()
    const answered = answerCalls(requestOf({ turns }), notes)
    expect(answered.turns[1]?.parts[0]).toBe(long)
    expect(answered.turns[1]?.parts.length).toBeGreaterThan(many)
    expect(notes.warnings).toEqual(['messages_result_without_call'])
  })

  test('reasoning without text, and calls with remembered reasoning', () => {
    const thoughts = listOf((index) => thought('', `token ${index}`))
    const calls = listOf(() => call('c', 'f'))
    const turns = [turn('assistant', ...thoughts, ...calls)]
    const last = `token ${many - 1}`
    const restored = restoreReasoning(
      requestOf({ turns }),
      () => ({ reasoning: [thought('words', last)] }),
      false,
    )
    expect(restored.turns[0]?.parts[0]).toEqual(thought('', 'token 0'))
    expect(restored.turns[0]?.parts[many - 1]).toEqual(thought('words', last))
  })

  test('an id of a million characters', () => {
    const id = '😀'.repeat(many * 25)
    const turns = [turn('assistant', call(id, 'f')), turn('user', result(id))]
    const { request } = fitTools(requestOf({ turns }), plainRules, lenient())
    const ids = request.turns.flatMap(({ parts }) =>
      parts.map((part) => (part.type === 'tool-call' ? part.id : 'callId' in part && part.callId)),
    )
    expect(ids[0]).toMatch(/^[a-z_]+_[0-9a-f]{8}$/)
    expect(ids[0]).toHaveLength(64)
    expect(ids[1]).toBe(ids[0] ?? false)
  })

  test('references to stored items, each to the first of its id', () => {
    const stored = listOf((index) => ({ id: `i${index}`, type: 'message', place: 'stored' }))
    const others = listOf((index) => ({ id: `i${index + 1}`, type: 'message', place: 'elsewhere' }))
    const input = listOf((index) => ({ type: 'item_reference', id: `i${many - index}` }))
    const text = responses.continuing?.expandInput(
      JSON.stringify({ model: 'm', input }),
      JSON.stringify(stored),
      [JSON.stringify(others)],
    )
    const { input: whole } = parseJson(text ?? '') as { input: { id: string; place: string }[] }
    expect(whole).toHaveLength(2 * many)
    expect(whole[many]).toEqual({ id: `i${many}`, type: 'message', place: 'elsewhere' } as never)
    expect(whole[2 * many - 1]).toEqual({ id: 'i1', type: 'message', place: 'stored' } as never)
  })

  test('a signature of very many envelopes is one token without an issuer', () => {
    const envelope = sealOpaque({ issuer: 'i', kind: 'signature', data: 'd' })
    expect(splitSealed(envelope.repeat(3))).toEqual([envelope, envelope, envelope])
    const text = envelope.repeat(many)
    expect(splitSealed(text)).toEqual([text])
    expect(openSealed(text)).toBeUndefined()
  })

  test('names that all become equal when shortened, and are all allowed', () => {
    const tools = listOf((index): Tool => {
      const name = `${'天'.repeat(60)}${'.'.repeat(index % 7)}${index}`
      return {
        type: 'function',
        name,
        description: undefined,
        schema: undefined,
        isStrict: undefined,
      }
    })
    const toolChoice = {
      type: 'allowed',
      names: tools.map(({ name }) => name),
      isRequired: false,
    } as const
    const { request } = fitTools(requestOf({ tools, toolChoice }), plainRules, lenient())
    expect(new Set(request.tools.map(({ name }) => name)).size).toBe(many)
    expect(request.toolChoice).toMatchObject({ names: request.tools.map(({ name }) => name) })
  })

  test('arguments that begin with very much whitespace', () => {
    const unwrapper = new InputUnwrapper()
    let text = ''
    for (let count = 0; count < many * 10; count += 1) text += unwrapper.push(' ')
    expect(text + unwrapper.end()).toHaveLength(many * 10)
  })
})
