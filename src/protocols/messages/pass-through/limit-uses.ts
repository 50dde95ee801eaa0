import type { CallLimits } from '../../../core/neutral/call-limits.ts'
import type { JsonText } from '../../../core/neutral/model-request.ts'
import { findItems } from '../../../wire/find-items.ts'
import { findMembers } from '../../../wire/find-members.ts'
import { countAt, isObject, parseJson, stringAt } from '../../../wire/json.ts'
import { type MemberPatch, patchMembers } from '../../../wire/patch-json.ts'
import { featureOfTool } from '../../measure/feature-requests.ts'
import type { JsonBody } from '../../request-facts.ts'
import { definitionOf, isToolChange } from '../decode-request/tool-changes.ts'

type Change = (text: JsonText) => JsonText

/**
 * Patches the tools of a body, and the conversation in which tools are added, where a tool gets a limit. Every other
 * byte stays, because prompt caches match on bytes.
 */
export function limitUses(body: JsonBody, calls: CallLimits | undefined): MemberPatch[] {
  if (calls?.each === undefined) return []
  const { tools, messages } = body.value
  return [
    ...patched(
      body,
      'tools',
      changeItems(tools, (tool) => limitOf(tool, calls)),
    ),
    ...patched(
      body,
      'messages',
      changeItems(messages, (message) => limitAdded(message, calls)),
    ),
  ]
}

function patched(
  { text, members }: JsonBody,
  name: string,
  change: Change | undefined,
): MemberPatch[] {
  const span = members.get(name)
  if (!change || !span) return []
  return [{ name, value: change(text.slice(span.valueStart, span.valueEnd)) }]
}

/** The change of one message that adds tools. */
function limitAdded(message: unknown, calls: CallLimits): Change | undefined {
  if (!isObject(message)) return undefined
  return changeMember(
    'content',
    changeItems(message['content'], (block) => {
      const definition = isObject(block) && isToolChange(block) ? definitionOf(block) : undefined
      return changeMember('tool', changeMember('definition', limitOf(definition, calls)))
    }),
  )
}

/** The change of one tool; undefined when it needs no limit. */
function limitOf(tool: unknown, calls: CallLimits): Change | undefined {
  const limit = missingLimit(tool, calls)
  return limit === undefined ? undefined : (text) => withLimit(text, limit)
}

/** The change of a list with some changed items; undefined when no item changes. */
function changeItems(
  list: unknown,
  changeOf: (item: unknown) => Change | undefined,
): Change | undefined {
  if (!Array.isArray(list)) return undefined
  const changes = list.map(changeOf)
  if (changes.every((change) => change === undefined)) return undefined
  return (text) => {
    let written = ''
    let at = 0
    for (const [index, { start, end }] of findItems(text).entries()) {
      const change = changes[index]
      if (!change) continue
      written += text.slice(at, start) + change(text.slice(start, end))
      at = end
    }
    return written + text.slice(at)
  }
}

/** The change of an object with one changed member. */
function changeMember(name: string, change: Change | undefined): Change | undefined {
  if (!change) return undefined
  return (text) => {
    const span = findMembers(text).get(name)
    if (!span) return text
    const { valueStart, valueEnd } = span
    return (
      text.slice(0, valueStart) + change(text.slice(valueStart, valueEnd)) + text.slice(valueEnd)
    )
  }
}

/** Applies the limit to one tool. */
export function limitToolUses(tool: JsonText, calls: CallLimits | undefined): JsonText {
  const limit = calls?.each && missingLimit(parseJson(tool), calls)
  return limit === undefined ? tool : withLimit(tool, limit)
}

function missingLimit(tool: unknown, { each }: CallLimits): number | undefined {
  if (!isObject(tool) || countAt(tool, 'max_uses') !== undefined) return undefined
  const feature = featureOfTool(stringAt(tool, 'type') ?? 'custom')
  return feature && each?.[feature]
}

function withLimit(tool: JsonText, limit: number): JsonText {
  return patchMembers(tool, findMembers(tool), [{ name: 'max_uses', value: String(limit) }])
}
