import { type EditOf, editSchema, newSchema } from '../../../fields/definition.ts'
import { type KeySettings, keyDefinition } from '../../../keys/definition/key.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { checkRule, readBy } from '../../read-fields.ts'
import { expiryProblem } from '../../rules.ts'

const newKey = newSchema(keyDefinition)
const keyEdit = editSchema(keyDefinition)

/** What an edit sends; what is not sent stays as it is. */
export function readKeyChange(body: JsonObject, nowMs: number): EditOf<typeof keyDefinition> {
  return checkExpiry(readBy(keyEdit, body), nowMs)
}

/** What a new key must have, and what is assumed of the rest. */
export function readNewKey(body: JsonObject, nowMs: number): KeySettings {
  return checkExpiry(readBy(newKey, body), nowMs)
}

function checkExpiry<Settings extends { readonly expiresAt?: number | null }>(
  settings: Settings,
  nowMs: number,
): Settings {
  const { expiresAt } = settings
  if (typeof expiresAt === 'number') checkRule('expiresAt', expiryProblem(expiresAt, nowMs))
  return settings
}
