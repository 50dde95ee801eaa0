import { isObject } from '../../../src/wire/json.ts'
import { dig, digList, digNumber, digText } from '../dig.ts'
import type { Output, StreamRule } from './stream-rule.ts'

export const chatCompletionsStreams: Readonly<Record<string, StreamRule>> = {
  'C1 the role comes first': c1RoleFirst,
  'C2 calls are counted from 0, id and name once': c2CallsInOrder,
  'C3 finish, then perhaps usage, then [DONE]': c3EndOfStream,
  'C4 no usage unless asked': c4NoUsageUnlessAsked,
  'C5 one id, one time, one model': c5ConstantId,
}

function answersOf(output: Output): number[] {
  const indexes = output.events.flatMap(({ json }) =>
    digList(json, 'choices').map((choice) => digNumber(choice, 'index')),
  )
  return [...new Set(indexes)]
}

/** The chunks of one answer. */
function choicesOf({ events }: Output, answer: number): unknown[] {
  return events.flatMap(({ json }) =>
    digList(json, 'choices').filter((choice) => digNumber(choice, 'index') === answer),
  )
}

function c1RoleFirst(output: Output): string[] {
  return answersOf(output).flatMap((answer) => {
    const roles = choicesOf(output, answer).map((choice) => dig(choice, 'delta', 'role'))
    const isGood = roles[0] === 'assistant' && roles.slice(1).every((role) => role === undefined)
    return isGood ? [] : [`answer ${answer}: roles ${JSON.stringify(roles.slice(0, 4))}`]
  })
}

function c2CallsInOrder(output: Output): string[] {
  return answersOf(output).flatMap((answer) => {
    const problems: string[] = []
    let next = 0
    const calls = choicesOf(output, answer).flatMap((choice) =>
      digList(choice, 'delta', 'tool_calls'),
    )
    for (const call of calls) {
      const index = dig(call, 'index')
      const name = digText(call, 'function', 'name') + digText(call, 'custom', 'name')
      const isHead = digText(call, 'id') !== ''
      if (isHead !== (name !== '')) problems.push('id and name do not come together')
      if (isHead && index !== next) problems.push(`call ${String(index)} in place of ${next}`)
      if (isHead) next += 1
      else if (index !== next - 1) problems.push(`a fragment for call ${String(index)}`)
    }
    return problems
  })
}

function c3EndOfStream(output: Output): string[] {
  const { events } = output
  const problems: string[] = []
  if (events.at(-1)?.data !== '[DONE]') problems.push('[DONE] is not the last event')
  if (events.filter(({ data }) => data === '[DONE]').length > 1) problems.push('[DONE] twice')
  if (!output.text.endsWith('data: [DONE]\n\n')) problems.push('[DONE] is not closed')
  for (const answer of answersOf(output)) {
    const choices = choicesOf(output, answer)
    const finishes = choices.filter((choice) => digText(choice, 'finish_reason') !== '')
    if (finishes.length !== 1) problems.push(`${finishes.length} finish reasons`)
    const last = choices.at(-1)
    if (digText(last, 'finish_reason') === '') problems.push('the last chunk has no finish reason')
    const delta = dig(last, 'delta')
    if (!isObject(delta) || Object.keys(delta).length > 0) {
      problems.push(`the finish chunk has a delta ${JSON.stringify(delta)}`)
    }
  }
  const usageAt = events.findIndex(({ json }) => isObject(dig(json, 'usage')))
  const usage = events[usageAt]?.json
  if (usageAt >= 0 && usageAt !== events.length - 2) problems.push('usage is not before [DONE]')
  if (usageAt >= 0 && digList(usage, 'choices').length > 0) problems.push('usage has choices')
  return problems
}

function c4NoUsageUnlessAsked({ eventsWithoutUsage }: Output): string[] {
  return eventsWithoutUsage
    .filter(({ json }) => isObject(json) && 'usage' in json)
    .map(({ data }) => `unasked usage: ${data.slice(0, 80)}`)
}

function c5ConstantId({ events }: Output): string[] {
  return ['id', 'created', 'model', 'object'].flatMap((field) => {
    const values = events
      .filter(({ data }) => data !== '[DONE]')
      .map(({ json }) => dig(json, field))
    const distinct = [...new Set(values)]
    return distinct.length === 1 && distinct[0] !== undefined
      ? []
      : [`${field}: ${JSON.stringify(distinct)}`]
  })
}
