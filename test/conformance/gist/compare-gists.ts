import { isDeepStrictEqual } from 'node:util'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { AnswerGist, CallGist, Gist, UsageGist } from './gist.ts'

/** The differences of the same reply in another protocol; empty when both mean the same. */
export function compareGists(expected: Gist, seen: Gist, client: ProtocolName): string[] {
  // The responses protocol can express an unreadable call only as a failure.
  const isOdd = expected.answers.some(({ finish }) => finish === 'odd')
  if (isOdd && seen.isFault && client === 'responses') return []
  const problems: string[] = []
  if (expected.isFault !== seen.isFault)
    problems.push(`fault ${expected.isFault} → ${seen.isFault}`)
  if (expected.answers.length !== seen.answers.length) {
    problems.push(`answers ${expected.answers.length} → ${seen.answers.length}`)
  }
  for (const [index, answer] of expected.answers.entries()) {
    const other = seen.answers[index]
    if (!other) continue
    problems.push(...compareAnswers(answer, other))
    // The messages protocol cannot express images from the model.
    if (client !== 'messages' && answer.images.join() !== other.images.join()) {
      problems.push(`images ${show(answer.images)} → ${show(other.images)}`)
    }
  }
  if (expected.usage) problems.push(...compareUsage(expected.usage, seen.usage, client))
  return problems
}

function compareAnswers(expected: AnswerGist, seen: AnswerGist): string[] {
  const problems: string[] = []
  if (!isSameText(expected, seen)) {
    problems.push(`text ${show(expected.text)} → ${show(seen.text)}`)
  }
  if (withoutSpace(expected.reasoning) !== withoutSpace(seen.reasoning)) {
    problems.push(`reasoning ${show(expected.reasoning)} → ${show(seen.reasoning)}`)
  }
  if (expected.refusal !== '' && !(seen.refusal + seen.text).includes(expected.refusal)) {
    problems.push(`refusal ${show(expected.refusal)} → ${show(seen.refusal)}`)
  }
  if (!isSameFinish(expected, seen)) problems.push(`finish ${expected.finish} → ${seen.finish}`)
  problems.push(...compareCalls(expected.calls, seen.calls))
  return problems
}

/** A protocol without a field for refusals or media may contain them as text. */
function isSameText(expected: AnswerGist, seen: AnswerGist): boolean {
  if (expected.mediaCount > 0) return seen.text.includes(expected.text)
  return seen.text === expected.text || seen.text === expected.text + expected.refusal
}

function isSameFinish({ finish }: AnswerGist, seen: AnswerGist): boolean {
  // A reason of one vendor has no fixed equivalent, but is never the token limit or a call.
  if (finish === 'odd') return seen.finish !== 'length' && seen.finish !== 'tool'
  return finish === seen.finish
}

function compareCalls(expected: readonly CallGist[], seen: readonly CallGist[]): string[] {
  if (expected.length !== seen.length) return [`calls ${expected.length} → ${seen.length}`]
  return expected.flatMap((call, index) => {
    const other = seen[index]
    const problems: string[] = []
    if (call.name !== other?.name) problems.push(`call name ${call.name} → ${other?.name}`)
    if (!isSameId(call.id, other?.id ?? '')) problems.push(`call id ${call.id} → ${other?.id}`)
    if (other?.id === '') problems.push(`call ${call.name} has no id`)
    const isKnown = call.arguments !== undefined
    if (isKnown && !isDeepStrictEqual(call.arguments, other?.arguments)) {
      problems.push(`arguments ${show(call.arguments)} → ${show(other?.arguments)}`)
    }
    return problems
  })
}

/** Protocols that restrict the characters of an id get a changed one, which is the same everywhere in the reply. */
function isSameId(expected: string, seen: string): boolean {
  return expected === '' || expected === seen || !/^[a-zA-Z0-9_-]{1,64}$/.test(expected)
}

/** generate-content has no field for cache writes; messages need not report reasoning tokens. */
export function compareUsage(
  expected: UsageGist,
  seen: UsageGist | undefined,
  client: ProtocolName,
): string[] {
  if (!seen) return ['usage is missing']
  const fields: (keyof UsageGist)[] = ['input', 'cacheRead', 'output']
  if (client !== 'generate-content') fields.push('cacheWrite')
  if (client !== 'messages') fields.push('reasoning')
  return fields
    .filter((field) => expected[field] !== seen[field])
    .map((field) => `usage ${field} ${expected[field]} → ${seen[field]}`)
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'none')
  return text.length > 120 ? `${text.slice(0, 60)}…(${text.length})…${text.slice(-40)}` : text
}
