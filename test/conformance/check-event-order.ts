import type { TokenUsage } from '../../src/core/money/usage.ts'
import type { ReplyEvent } from '../../src/core/neutral/reply-event.ts'

/** The contract of neutral events: one start, parts one after another, one end or one fault, then nothing. */
export function checkEventOrder(events: readonly ReplyEvent[]): string[] {
  const problems: string[] = []
  const open: boolean[] = []
  const ids: Set<string>[] = []
  let starts = 0
  let isOver = false
  for (const event of events) {
    if (isOver) problems.push(`${event.type} after the end`)
    if (starts === 0 && event.type !== 'reply-start' && event.type !== 'fault') {
      problems.push(`${event.type} before reply-start`)
    }
    switch (event.type) {
      case 'reply-start':
        starts += 1
        break
      case 'part-start':
        if (open[event.answer]) problems.push('a part begins inside another')
        open[event.answer] = true
        if (event.part.type === 'tool-call') {
          const known = ids[event.answer] ?? new Set()
          ids[event.answer] = known
          problems.push(...callProblems(event.part, known))
        }
        break
      case 'part-delta':
        if (!open[event.answer]) problems.push('a delta outside of a part')
        break
      case 'part-end':
        if (!open[event.answer]) problems.push('a part ends that was not open')
        open[event.answer] = false
        break
      case 'usage':
        problems.push(...usageProblems(event.usage))
        break
      case 'reply-end':
        isOver = true
        if (open.some(Boolean)) problems.push('the reply ends inside a part')
        if (event.finishes.length === 0) problems.push('the reply ends without a finish')
        break
      case 'fault':
        isOver = true
        break
    }
  }
  if (starts > 1) problems.push(`${starts} reply-starts`)
  return problems
}

function callProblems(part: { id: string; name: string }, ids: Set<string>): string[] {
  const problems: string[] = []
  if (part.id === '') problems.push('a call without an id')
  if (part.name === '') problems.push('a call without a name')
  if (ids.has(part.id)) problems.push(`two calls have the id ${part.id}`)
  ids.add(part.id)
  return problems
}

function usageProblems(usage: TokenUsage): string[] {
  const counts = Object.entries(usage).filter(([, count]) => typeof count === 'number')
  return counts.flatMap(([name, count]) =>
    Number.isSafeInteger(count) && count >= 0 ? [] : [`usage ${name} is ${count}`],
  )
}
