import { parseKeepingText } from '../../../wire/exact-json.ts'
import type { JsonBody } from '../../request-facts.ts'
import { schemaMembers } from './decode-tools.ts'

/** One member of the body with its schemas as text. */
export function exactMember(body: JsonBody, name: string): unknown {
  const span = body.members.get(name)
  return span
    ? parseKeepingText(body.text.slice(span.valueStart, span.valueEnd), schemaMembers)
    : body.value[name]
}
