import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { Tool, ToolCallPart, Turn } from '../../../../src/core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import type { CallRestore } from '../../../../src/protocols/fit/call-restore.ts'
import { fitTools } from '../../../../src/protocols/fit/fit-tools.ts'
import { restoreCalls } from '../../../../src/protocols/fit/restore-calls.ts'
import type { ToolRules } from '../../../../src/protocols/translation.ts'
import { anyCharacter } from '../../../support/any-character.ts'
import { repeats } from '../../../support/repeats.ts'
import { call, lenient, plainRules, requestOf, result, turn } from './build-request.ts'

const name = fc.oneof(
  fc.constantFrom(
    'search',
    'docs__search',
    'a.b',
    'a:b',
    'a b',
    'a_b',
    '',
    'n'.repeat(70),
    'n'.repeat(71),
  ),
  fc.string({ unit: anyCharacter, maxLength: 80 }),
)
const namespace = fc.option(fc.constantFrom('docs', 'docs__search', 'x y', 'd'.repeat(60)), {
  nil: undefined,
})
const tool = fc
  .record({ name, namespace, isCustom: fc.boolean() })
  .map(({ isCustom, ...rest }): Tool => {
    const named = { ...rest, description: undefined }
    return isCustom
      ? { ...named, type: 'custom', format: undefined }
      : { ...named, type: 'function', schema: undefined, isStrict: undefined }
  })
const tools = fc.uniqueArray(tool, { maxLength: 8, selector: (each) => identity(each) })
const rules = fc
  .record({
    takesCustomTools: fc.boolean(),
    takesNamespaces: fc.boolean(),
    nameLengthMax: fc.constantFrom(32, 64, 128),
  })
  .map((some): ToolRules => ({ ...plainRules, ...some }))

function identity(each: Tool): string {
  return JSON.stringify([each.type === 'hosted' ? '' : (each.namespace ?? null), each.name])
}

/** A conversation in which every tool was called once. */
function historyOf(all: readonly Tool[]): Turn[] {
  return all.flatMap((each, index) => {
    if (each.type === 'hosted') return []
    const form = each.type
    const argumentsText = form === 'custom' ? `free "text" ${index}` : '{}'
    const id = `c.${index}`
    return [
      turn('assistant', call(id, each.name, { namespace: each.namespace, form, argumentsText })),
      turn('user', result(id, { name: each.name, form })),
    ]
  })
}

function callsOf(turns: readonly Turn[]): ToolCallPart[] {
  return turns.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'))
}

/** The upstream repeats a call of the history, and the client reads it. */
function echoed({ argumentsText, ...head }: ToolCallPart, restore: CallRestore): unknown {
  const events: ReplyEvent[] = [
    { type: 'part-start', answer: 0, part: head },
    { type: 'part-delta', answer: 0, text: argumentsText },
    { type: 'part-end', answer: 0 },
  ]
  return foldReply(events.flatMap(restoreCalls(restore))).answers[0]?.parts[0]?.part
}

describe('fitting tools, whatever they are called', () => {
  test('every name fits, none twice, and fitting again changes nothing', () => {
    fc.assert(
      fc.property(tools, rules, (all, each) => {
        const request = requestOf({ tools: all, turns: historyOf(all) })
        const { request: fitted } = fitTools(request, each, lenient())
        for (const { name: fittedName } of fitted.tools) {
          expect(fittedName).toMatch(each.namePattern)
          expect(fittedName.length).toBeLessThanOrEqual(each.nameLengthMax)
        }
        expect(new Set(fitted.tools.map(identity)).size).toBe(all.length)
        const again = fitTools(fitted, each, lenient())
        expect(again.request).toBe(fitted)
        expect(again.restore.isIdentity).toBe(true)
      }),
      { numRuns: repeats(500) },
    )
  })

  test('calls come back in the client’s form: name, namespace, form and text', () => {
    fc.assert(
      fc.property(tools, rules, (all, each) => {
        const turns = historyOf(all)
        const { request, restore } = fitTools(requestOf({ tools: all, turns }), each, lenient())
        const before = callsOf(turns)
        callsOf(request.turns).forEach((fitted, index) => {
          expect(echoed(fitted, restore)).toEqual({
            ...before[index],
            id: fitted.id,
            opaque: undefined,
          })
        })
      }),
      { numRuns: repeats(500) },
    )
  })

  test('a call, its definition and its result have one name', () => {
    fc.assert(
      fc.property(tools, rules, (all, each) => {
        const { request } = fitTools(
          requestOf({ tools: all, turns: historyOf(all) }),
          each,
          lenient(),
        )
        callsOf(request.turns).forEach((fitted, index) => {
          expect(request.tools[index]?.name).toBe(fitted.name)
          expect(request.turns[index * 2 + 1]?.parts[0]).toMatchObject({
            callId: fitted.id,
            name: fitted.name,
          })
        })
      }),
    )
  })
})
