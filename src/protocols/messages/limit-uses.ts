import type { CallLimits } from '../../core/call-limits.ts'
import type { JsonText } from '../../core/model-request.ts'
import { findItems } from '../../wire/find-items.ts'
import { findMembers } from '../../wire/find-members.ts'
import { countAt, isObject, parseJson, stringAt } from '../../wire/json.ts'
import { type MemberPatch, patchMembers } from '../../wire/patch-json.ts'
import { featureOfTool } from '../feature-wishes.ts'
import type { JsonBody } from '../protocol.ts'

/** The tools of a body, where one of them gets a limit; every other byte stays, since prompt caches match by it. */
export function limitUses(
  { text, value, members }: JsonBody,
  calls: CallLimits | undefined,
): MemberPatch[] {
  const { tools } = value
  const span = members.get('tools')
  if (calls?.each === undefined || !Array.isArray(tools) || !span) return []
  const missing = tools.map((tool: unknown) => missingLimit(tool, calls))
  if (missing.every((limit) => limit === undefined)) return []
  const list = text.slice(span.valueStart, span.valueEnd)
  let patched = ''
  let at = 0
  for (const [index, { start, end }] of findItems(list).entries()) {
    const limit = missing[index]
    if (limit === undefined) continue
    patched += list.slice(at, start) + withLimit(list.slice(start, end), limit)
    at = end
  }
  return [{ name: 'tools', value: patched + list.slice(at) }]
}

/** The same for one tool. */
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
