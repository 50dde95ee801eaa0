import { isDeepStrictEqual } from 'node:util'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { dig, digList, digNumber, digText } from '../dig.ts'
import type { Output, StreamRule } from './stream-rule.ts'

export const generateContentStreams: Readonly<Record<string, StreamRule>> = {
  'G1 no call comes in pieces': g1WholeCalls,
  'G2 the finish reason only in the last chunk': g2FinishLast,
  'G3 token counts add up': g3TotalsAddUp,
  'G4 the same as a JSON list': g4SameAsList,
}

function g1WholeCalls({ events, whole }: Output): string[] {
  const callsOf = (value: unknown) =>
    digList(value, 'candidates').flatMap((candidate) =>
      digList(candidate, 'content', 'parts')
        .map((part) => dig(part, 'functionCall'))
        .filter((call) => call !== undefined),
    )
  const streamed = events.flatMap(({ json }) => callsOf(json))
  const problems = streamed.flatMap((call) => {
    const isWhole = isObject(dig(call, 'args')) && digText(call, 'name') !== ''
    return isWhole ? [] : [`call ${JSON.stringify(call)}`]
  })
  // Each form may have its own ids; names and arguments of the calls must be the same.
  const meaning = (calls: readonly unknown[]) =>
    calls.map((call) => [dig(call, 'name'), dig(call, 'args')])
  if (!isDeepStrictEqual(meaning(streamed), meaning(callsOf(whole)))) {
    problems.push(`${streamed.length} calls in the stream, ${callsOf(whole).length} in the whole`)
  }
  return problems
}

/** With several answers each has its own last chunk. */
function g2FinishLast({ events }: Output): string[] {
  const problems: string[] = []
  const finished = new Set<number>()
  for (const { json } of events) {
    for (const candidate of digList(json, 'candidates')) {
      const index = digNumber(candidate, 'index')
      if (finished.has(index)) problems.push(`answer ${index} goes on after its finishReason`)
      if (digText(candidate, 'finishReason') !== '') finished.add(index)
    }
  }
  const last = events.at(-1)?.json
  const isBlocked = digText(last, 'promptFeedback', 'blockReason') !== ''
  if (finished.size === 0 && !isBlocked) problems.push('no finishReason')
  const endsFinished = digList(last, 'candidates').some(
    (candidate) => digText(candidate, 'finishReason') !== '',
  )
  if (!endsFinished && !isBlocked) problems.push('the last chunk has no finishReason')
  return problems
}

function g3TotalsAddUp({ events, whole, hasUsage }: Output): string[] {
  const usages = [...events.map(({ json }) => json), whole]
    .map((value) => dig(value, 'usageMetadata'))
    .filter(isObject)
  const problems = usages.flatMap((usage) => {
    const sum =
      digNumber(usage, 'promptTokenCount') +
      digNumber(usage, 'candidatesTokenCount') +
      digNumber(usage, 'thoughtsTokenCount') +
      digNumber(usage, 'toolUsePromptTokenCount')
    return sum === digNumber(usage, 'totalTokenCount') ? [] : [`usage ${JSON.stringify(usage)}`]
  })
  const isAtEnd = isObject(dig(events.at(-1)?.json, 'usageMetadata'))
  if (hasUsage && !isAtEnd) problems.push('no usage at the end')
  return problems
}

function g4SameAsList({ events, listText }: Output): string[] {
  const list = parseJson(listText)
  if (!Array.isArray(list)) return [`no JSON list: ${listText.slice(0, 80)}`]
  return isDeepStrictEqual(
    list,
    events.map(({ json }) => json),
  )
    ? []
    : [`the list has ${list.length} chunks, the stream ${events.length}`]
}
