import type { TokenLogprob } from '../../../core/neutral/reply-event.ts'
import { isObject, type JsonObject, objectAt } from '../../../wire/json.ts'
import { listOrSingle } from './read-field.ts'

interface Token {
  readonly token: string
  readonly logprob: number
  readonly bytes: undefined
}

export function decodeLogprobs(candidate: JsonObject): TokenLogprob[] | undefined {
  const result = objectAt(candidate, 'logprobsResult')
  if (!result) return undefined
  const tops = listOrSingle(result['topCandidates'])
  return listOrSingle(result['chosenCandidates']).flatMap((chosen, index): TokenLogprob[] => {
    const token = decodeToken(chosen)
    if (!token) return []
    const top = tops[index]
    const beside = isObject(top) ? listOrSingle(top['candidates']) : []
    return [{ ...token, top: beside.flatMap((each) => decodeToken(each) ?? []) }]
  })
}

function decodeToken(value: unknown): Token | undefined {
  if (!isObject(value) || typeof value['token'] !== 'string') return undefined
  const logprob = value['logProbability']
  return {
    token: value['token'],
    logprob: typeof logprob === 'number' ? logprob : 0,
    bytes: undefined,
  }
}

export function encodeLogprobs(logprobs: readonly TokenLogprob[]): JsonObject {
  return {
    chosenCandidates: logprobs.map(encodeToken),
    topCandidates: logprobs.map(({ top }) => ({ candidates: top.map(encodeToken) })),
  }
}

function encodeToken({ token, logprob }: { token: string; logprob: number }): JsonObject {
  return { token, logProbability: logprob }
}
