import { Fault } from '../../../src/core/fault.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { decodeClientBody } from '../../conformance/pipeline/client-request.ts'
import { translateRequest } from '../../conformance/pipeline/translate-request.ts'

/**
 * `carried`: sent to the upstream. `noted`: dropped or changed, the reply means the same. `warned`: dropped or
 * changed, the reply may mean something else. `lost`: dropped without a warning, which must not happen.
 */
export type Verdict =
  | { readonly type: 'carried' | 'rejected' | 'lost' }
  | { readonly type: 'noted' | 'warned'; readonly warnings: readonly string[] }

const plain: Readonly<Record<ProtocolName, JsonObject>> = {
  'chat-completions': { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
  responses: { model: 'm', input: 'Hi' },
  messages: { model: 'm', max_tokens: 500, messages: [{ role: 'user', content: 'Hi' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
}

/** The result of the translation for members of a client's body. */
export function judgeRequest(
  client: ProtocolName,
  upstream: ProtocolName,
  members: JsonObject,
  membersWithout: JsonObject = {},
): Verdict {
  try {
    const without = send(client, upstream, { ...plain[client], ...membersWithout }, false)
    const body = { ...plain[client], ...members }
    const sent = send(client, upstream, body, false)
    const warnings = sent.warnings.filter((warning) => !without.warnings.includes(warning))
    if (warnings.length > 0) {
      const isLossy = isRefusedByStrict(client, upstream, body)
      return { type: isLossy ? 'warned' : 'noted', warnings }
    }
    return { type: sent.text === without.text ? 'lost' : 'carried' }
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 400) throw error
    return { type: 'rejected' }
  }
}

/** A group with `unsupported: reject` rejects exactly the changes that may change the meaning. */
function isRefusedByStrict(
  client: ProtocolName,
  upstream: ProtocolName,
  body: JsonObject,
): boolean {
  try {
    send(client, upstream, body, true)
    return false
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 400) throw error
    return true
  }
}

function send(client: ProtocolName, upstream: ProtocolName, body: JsonObject, isStrict: boolean) {
  const path = { model: 'm', isStream: false }
  const { request } = decodeClientBody(client, JSON.stringify(body), path)
  const settings = { model: 'upstream-model', issuer: 'vendor/family', traits: {} }
  return translateRequest(client, upstream, request, settings, isStrict)
}
