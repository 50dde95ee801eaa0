import type { OptionChanges } from '../../../catalog/upstream-options.ts'
import type { UpstreamSettings } from '../../../catalog/upstream-store.ts'
import type { ParameterPolicy } from '../../../core/parameter-policy.ts'
import { readPolicy } from '../../../core/read-policy.ts'
import { timeoutsByDefault } from '../../../core/upstream-timeouts.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { VendorFacts } from '../../gateway-ports.ts'
import {
  flagField,
  ifSent,
  numberField,
  objectField,
  orNull,
  type Read,
  textField,
} from '../../read-fields.ts'
import { wrongField } from '../../refusal.ts'
import { countProblem, idProblem, proxyProblem, urlProblem } from '../../rules.ts'
import { certificatesIn } from './certificates-in.ts'

const waitMsMost = 24 * 60 * 60_000
const probeMsMin = 1_000
const caCharactersMax = 200_000

export interface UpstreamChange {
  readonly vendor: string | undefined
  readonly protocol: string | undefined
  /** Null: the vendor's own. */
  readonly baseUrl: string | null | undefined
  readonly isEnabled: boolean | undefined
  readonly proxy: string | null | undefined
  readonly options: OptionChanges
}

/** What an edit sends; undefined stays as it is. */
export function readUpstreamChange(body: JsonObject): UpstreamChange {
  return {
    vendor: ifSent(textField(idProblem))(body, 'vendor'),
    protocol: ifSent(textField(idProblem))(body, 'protocol'),
    baseUrl: ifSent(orNull(textField(urlProblem)))(body, 'baseUrl'),
    isEnabled: ifSent(flagField)(body, 'isEnabled'),
    proxy: ifSent(orNull(textField(proxyProblem)))(body, 'proxy'),
    options: {
      concurrencyMax: ifSent(orNull(numberField(countProblem)))(body, 'concurrencyMax'),
      timeouts: ifSent(objectField(readTimeouts))(body, 'timeouts'),
      ca: ifSent(orNull(caField))(body, 'ca'),
      allowsPrivate: ifSent(flagField)(body, 'allowsPrivate'),
      billsOnAbort: ifSent(orNull(flagField))(body, 'billsOnAbort'),
      probe: ifSent(orNull(objectField(readProbe)))(body, 'probe'),
      parameters: ifSent(orNull(policyField))(body, 'parameters'),
    },
  }
}

/** The settings that a change leads to; the vendor decides which protocols there are. */
export function settingsAfter(
  vendors: readonly VendorFacts[],
  before: Pick<UpstreamSettings, 'id' | 'vendor' | 'protocol' | 'baseUrl'>,
  change: UpstreamChange,
): UpstreamSettings {
  const vendorName = change.vendor ?? before.vendor
  const vendor = vendors.find(({ name }) => name === vendorName)
  if (!vendor) {
    const names = vendors.map(({ name }) => name).join(', ')
    throw wrongField('vendor', 'word_wrong', { words: names })
  }
  const protocol = change.protocol ?? before.protocol
  if (protocol !== 'any' && !vendor.protocols.includes(protocol)) {
    throw wrongField('protocol', 'protocol_wrong', { words: vendor.protocols.join(', ') })
  }
  const given = change.baseUrl === undefined ? before.baseUrl : change.baseUrl
  const baseUrl = given === null || given === '' ? vendor.baseUrl : given
  if (baseUrl === undefined) throw wrongField('baseUrl', 'base_url_needed', { vendor: vendorName })
  const { proxy, isEnabled, options } = change
  return { id: before.id, vendor: vendorName, protocol, baseUrl, proxy, isEnabled, options }
}

function readTimeouts(entry: JsonObject): Partial<typeof timeoutsByDefault> {
  const known = Object.keys(timeoutsByDefault)
  const unknown = Object.keys(entry).find((name) => !known.includes(name))
  if (unknown !== undefined) throw wrongField('timeouts', 'timeout_unknown', { name: unknown })
  const read = known.flatMap((name) => {
    const ms = ifSent(waitField(1))(entry, name)
    return ms === undefined ? [] : [[name, ms] as const]
  })
  return Object.fromEntries(read)
}

function waitField(leastMs: number): Read<number> {
  return (body, field) => {
    const ms = numberField()(body, field)
    if (ms >= leastMs && ms <= waitMsMost) return ms
    throw wrongField(field, 'wait_wrong', { min: leastMs, max: waitMsMost })
  }
}

function readProbe(entry: JsonObject): { everyMs: number; model?: string } {
  const everyMs = waitField(probeMsMin)(entry, 'everyMs')
  const model = ifSent(orNull(textField()))(entry, 'model')
  return typeof model === 'string' ? { everyMs, model } : { everyMs }
}

const caField: Read<string> = (body, field) => {
  const pem = certificatesIn(textField(undefined, caCharactersMax)(body, field))
  if (pem === undefined) throw wrongField(field, 'certificates_wrong')
  return pem
}

export const policyField: Read<ParameterPolicy> = (body, field) => {
  const written = objectField((entry) => entry)(body, field)
  const policy = readPolicy(written)
  if (policy) return policy
  throw wrongField(field, 'policy_wrong')
}
