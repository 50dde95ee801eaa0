import type { GroupsClaim } from '../../console-api/ports/open-id-provider.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'

/** Groups of one person. Providers limit their tokens far below this. */
export const groupsMax = 5_000
export const groupCharactersMax = 1_000

/**
 * The groups in the claims of a token or of the userinfo endpoint; undefined when the claim is not there. Any value
 * that is not clearly a list of groups counts as unreadable, so that no membership ends by mistake.
 */
export function readGroupsClaim(claims: JsonObject, name: string): GroupsClaim | undefined {
  const distributed = claims['_claim_names']
  const [first = name] = name.split('.')
  if (
    isObject(distributed) &&
    (Object.hasOwn(distributed, name) || Object.hasOwn(distributed, first))
  )
    return unreadable(
      `the provider sends a reference instead of the claim ${name}: too many groups`,
    )
  const value = valueAt(claims, name)
  if (value === undefined) return undefined
  const list: unknown = typeof value === 'string' ? [value] : value
  if (!Array.isArray(list)) return unreadable(`the claim ${name} is not a list`)
  if (list.length > groupsMax)
    return unreadable(`the claim ${name} has more than ${groupsMax} items`)
  const groups = new Set<string>()
  for (const group of list as readonly unknown[]) {
    const isGroup = typeof group === 'string' && group !== '' && group.length <= groupCharactersMax
    if (!isGroup) return unreadable(`the claim ${name} has an item that is not the name of a group`)
    groups.add(group)
  }
  return { kind: 'read', groups }
}

export function unreadable(why: string): GroupsClaim {
  return { kind: 'unreadable', why }
}

/** A claim with exactly this name; otherwise each dot leads one object deeper. */
function valueAt(claims: JsonObject, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const step of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  return value
}
