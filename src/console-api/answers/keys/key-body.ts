import type { KeySettings } from '../../../keys/key-store.ts'
import type { JsonObject } from '../../../wire/json.ts'
import {
  checkRule,
  flagField,
  ifSent,
  nanoField,
  numberField,
  orNull,
  textField,
  textsField,
} from '../../read-fields.ts'
import {
  addressesProblem,
  expiryProblem,
  groupsProblem,
  idProblem,
  modelsProblem,
  nameProblem,
  nanoProblem,
} from '../../rules.ts'

export type KeyChange = Partial<Omit<KeySettings, 'accountId'>>

const name = textField(nameProblem)
const groups = textsField(groupsProblem, idProblem)
const models = orNull(textsField(modelsProblem, idProblem))
const addresses = orNull(textsField(addressesProblem))
const quota = orNull(nanoField(nanoProblem))
const expiry = orNull(numberField())

/** What an edit sends; a member that is not sent is not there. */
export function readKeyChange(body: JsonObject, nowMs: number): KeyChange {
  const expiresAt = ifSent(expiry)(body, 'expiresAt')
  if (typeof expiresAt === 'number') checkRule('expiresAt', expiryProblem(expiresAt, nowMs))
  const sent = {
    name: ifSent(name)(body, 'name'),
    groups: ifSent(groups)(body, 'groups'),
    isEnabled: ifSent(flagField)(body, 'isEnabled'),
  }
  return {
    ...(sent.name === undefined ? {} : { name: sent.name.trim() }),
    ...(sent.groups === undefined ? {} : { groups: sent.groups }),
    ...(sent.isEnabled === undefined ? {} : { isEnabled: sent.isEnabled }),
    ...whenSent('models', ifSent(models)(body, 'models')),
    ...whenSent('addresses', ifSent(addresses)(body, 'addresses')),
    ...whenSent('quotaNano', ifSent(quota)(body, 'quotaNano')),
    ...whenSent('expiresAtMs', expiresAt),
  }
}

/** Null lifts a restriction, which the settings say with undefined. */
function whenSent<Name extends string, Value>(
  member: Name,
  value: Value | null | undefined,
): { [name in Name]?: Value | undefined } {
  if (value === undefined) return {}
  const settings: { [name in Name]?: Value | undefined } = {}
  settings[member] = value ?? undefined
  return settings
}

/** What a new key must have, and what is assumed of the rest. */
export function readNewKey(body: JsonObject, nowMs: number): KeySettings {
  return {
    models: undefined,
    addresses: undefined,
    quotaNano: undefined,
    expiresAtMs: undefined,
    isEnabled: true,
    ...readKeyChange(body, nowMs),
    accountId: textField(idProblem)(body, 'accountId'),
    name: name(body, 'name').trim(),
    groups: groups(body, 'groups'),
  }
}
