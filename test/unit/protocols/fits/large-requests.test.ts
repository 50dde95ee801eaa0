import { describe, expect, test } from 'bun:test'
import type { Tool } from '../../../../src/core/model-request.ts'
import { answerCalls } from '../../../../src/protocols/answer-calls.ts'
import { fitTools } from '../../../../src/protocols/fit-tools.ts'
import { InputUnwrapper } from '../../../../src/protocols/unwrap-input.ts'
import { call, lenient, plainRules, requestOf, result, turn } from './build-request.ts'

const many = 20_000

function listOf<Item>(item: (index: number) => Item): Item[] {
  return Array.from({ length: many }, (_, index) => item(index))
}

/** Each of these would take minutes or gigabytes if work grew with the square of what a client sends. */
describe('requests that were made to be slow', () => {
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

  test('names that all lose what tells them apart, and are all allowed', () => {
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

  test('arguments that begin with endless space', () => {
    const unwrapper = new InputUnwrapper()
    let text = ''
    for (let count = 0; count < many * 10; count += 1) text += unwrapper.push(' ')
    expect(text + unwrapper.end()).toHaveLength(many * 10)
  })
})
