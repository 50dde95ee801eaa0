import { describe, expect, test } from 'bun:test'
import {
  isRule,
  problemMessage,
  readMessage,
  readProblemMessage,
  type ValueProblem,
  valueProblemTexts,
} from '../../../src/fields/problems.ts'

describe('a problem in a message', () => {
  test('keeps a list as a list, and shows it as text', () => {
    const words = ['a, b', 'c?d&e=f', 'ü']
    expect(readProblemMessage(problemMessage('word_wrong', { words }))).toEqual({
      problem: 'word_wrong',
      values: { words: 'a, b, c?d&e=f, ü' },
      words,
    })
    const single = readProblemMessage(problemMessage('word_wrong', { words: ['one'] }))
    expect(single?.words).toEqual(['one'])
  })

  test('keeps limits as numbers and everything else as text', () => {
    const message = problemMessage('count_wrong', { min: 1, max: 12, name: '7' })
    expect(readProblemMessage(message)?.values).toEqual({ min: 1, max: 12, name: '7' })
    // A fixed limit of the problem is added.
    expect(readProblemMessage(problemMessage('id_wrong'))?.values).toEqual({ max: 128 })
  })

  test('has a code, and other text has none', () => {
    expect(readMessage(problemMessage('list_wrong')).code).toBe('list_wrong')
    for (const text of ['', 'must be a list', 'constructor', 'word_wrong words=a', '?words=a']) {
      expect(readProblemMessage(text)).toBeUndefined()
    }
  })
})

test('the value follows only the text of a rule', () => {
  const problems = Object.keys(valueProblemTexts) as ValueProblem[]
  const read = problems.map((problem) => [problem, valueProblemTexts[problem].startsWith('must ')])
  expect(problems.map((problem) => [problem, isRule(problem)])).toEqual(read as never)
  expect(problems.some(isRule)).toBe(true)
  expect(problems.every(isRule)).toBe(false)
})
