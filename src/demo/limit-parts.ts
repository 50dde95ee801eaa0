import type { AnswerPart, DemoAnswer } from './answer.ts'
import { countTokens, splitTokens } from './tokens.ts'

/** Cuts an answer at the client's output limit, and counts the remaining tokens. */
export function limitParts(
  parts: readonly AnswerPart[],
  outputTokensMax: number | undefined,
  input: number,
): DemoAnswer {
  const kept: AnswerPart[] = []
  const spent = { output: 0, reasoning: 0 }
  let left = outputTokensMax ?? Number.POSITIVE_INFINITY
  let isCut = false

  for (const part of parts) {
    const fitting = fitPart(part, left)
    isCut ||= fitting.isCut
    if (fitting.part === undefined) break
    left -= fitting.tokens
    spent[part.kind === 'reasoning' ? 'reasoning' : 'output'] += fitting.tokens
    kept.push(fitting.part)
    if (isCut) break
  }

  const isCalling = kept.some((part) => part.kind === 'tool-call')
  const finish = isCut ? 'length' : isCalling ? 'tool-calls' : 'stop'
  return { parts: kept, finish, usage: { input, ...spent } }
}

interface Fitting {
  readonly part: AnswerPart | undefined
  readonly tokens: number
  readonly isCut: boolean
}

function fitPart(part: AnswerPart, tokensMax: number): Fitting {
  if (part.kind === 'tool-call') {
    // Half of a call's JSON is useless, so a call is complete or absent.
    const tokens = countTokens(part.name) + countTokens(part.argumentsText)
    return tokens > tokensMax
      ? { part: undefined, tokens: 0, isCut: true }
      : { part, tokens, isCut: false }
  }
  const tokens = splitTokens(part.text)
  if (tokens.length <= tokensMax) return { part, tokens: tokens.length, isCut: false }
  if (tokensMax === 0) return { part: undefined, tokens: 0, isCut: true }
  const text = tokens.slice(0, tokensMax).join('')
  return { part: { ...part, text }, tokens: tokensMax, isCut: true }
}
