import { type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'

/**
 * Whether a call is of a function or of a custom tool. `type` decides. Some servers fill in both members and leave one
 * empty, and later pieces of a stream have no type; then the member with content decides.
 */
export function formOfCall(call: JsonObject): 'function' | 'custom' {
  const { type } = call
  const custom = objectAt(call, 'custom')
  const isFunction = objectAt(call, 'function') !== undefined
  if ((custom !== undefined) === isFunction && (type === 'function' || type === 'custom'))
    return type
  if (custom === undefined) return 'function'
  return isFunction && isEmpty(custom) ? 'function' : 'custom'
}

function isEmpty(custom: JsonObject): boolean {
  return !stringAt(custom, 'name') && !stringAt(custom, 'input')
}
