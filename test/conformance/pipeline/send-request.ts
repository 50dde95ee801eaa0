import { Fault } from '../../../src/core/fault.ts'
import type { ModelRequest } from '../../../src/core/neutral/model-request.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { ModelTraits } from '../../../src/protocols/model-traits.ts'
import { parseJson } from '../../../src/wire/json.ts'
import type { Recording } from '../recordings/recording.ts'
import { tally } from '../report/tally.ts'
import { decodeRecordedRequest } from './client-request.ts'
import { translateRequest } from './translate-request.ts'

/** The result of sending a recorded request to an upstream of some protocol. */
export type Sending =
  | {
      readonly type: 'sent'
      readonly request: ModelRequest
      readonly text: string
      readonly value: unknown
      readonly warnings: readonly string[]
    }
  | { readonly type: 'refused'; readonly param: string; readonly message: string }

const kept = new WeakMap<ModelTraits, Map<string, Sending | undefined>>()

/** Undefined for a recording without a request. Throws everything except a refusal that names its field. */
export function sendRequest(
  recording: Recording,
  upstream: ProtocolName,
  traits: ModelTraits,
): Sending | undefined {
  const known = kept.get(traits) ?? new Map<string, Sending | undefined>()
  kept.set(traits, known)
  const name = `${upstream} ${recording.name}`
  if (!known.has(name)) known.set(name, sendAnew(recording, upstream, traits))
  return known.get(name)
}

/** The same without memory. */
export function sendAnew(
  recording: Recording,
  upstream: ProtocolName,
  traits: ModelTraits,
): Sending | undefined {
  try {
    const decoded = decodeRecordedRequest(recording)
    if (!decoded) return undefined
    const { request } = decoded
    const settings = { model: 'upstream-model', issuer: 'vendor/family', traits }
    const { text, warnings } = translateRequest(recording.protocol, upstream, request, settings)
    tally('requests translated')
    return { type: 'sent', request, text, value: parseJson(text), warnings }
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 400) throw error
    tally('requests refused')
    return { type: 'refused', param: error.details.param ?? '', message: error.message }
  }
}
