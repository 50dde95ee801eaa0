import { faultStatus } from '../../../core/fault.ts'
import { isObject, parseJson } from '../../../wire/json.ts'
import { change } from '../../changes/change.ts'
import type { ExplainAnswer } from '../../contract.ts'
import type { ClientPaths } from '../../ports/gateway-ports.ts'
import { brokenRule } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { jsonOf } from '../../rows/json-members.ts'
import { needValue } from '../keys/change-keys.ts'
import { readExplanation } from './read-explanation.ts'

/** Explains how the gateway would handle a request of this key. Nothing is sent or charged. */
export async function explainRequest(
  call: CallOf<'POST /operate/explain'>,
): Promise<JsonAnswer<ExplainAnswer>> {
  const { deps, context } = call
  const { protocol, keyId, body: text, model, isStream = false, ...rest } = await call.body()
  const path = pathAt(deps.gateway.clientPathsOf(protocol), { model, isStream })
  const address = rest.address ?? context.address
  const value = await needValue(deps.engine.db, deps, keyId)
  await change(call, ({ record }) => record({ action: 'key.explained', subject: keyId }))
  const request = new Request(`http://gateway${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${value}`,
      'content-type': 'application/json',
      [`x-${deps.brand}-explain`]: deps.gateway.operatorToken,
    },
    body: text,
  })
  const response = await deps.gateway.forward(request, address)
  return { body: describe(response.status, parseJson(await response.text())) }
}

function pathAt(
  { whole, stream }: ClientPaths,
  { model, isStream }: { readonly model: string | undefined; readonly isStream: boolean },
): string {
  const path = isStream ? stream : whole
  if (!path.includes('{model}')) return path
  if (model === undefined) throw brokenRule('model', 'model_in_path')
  return path.replace('{model}', () => encodeURIComponent(model))
}

function describe(status: number, answer: unknown): ExplainAnswer {
  const raw = jsonOf(answer)
  if (isObject(answer) && answer['object'] === 'explanation') {
    const explanation = readExplanation(answer)
    const failed = explanation.failed
    return {
      status: failed ? statusOf(failed.code) : 200,
      refusal: failed ?? null,
      checks: explanation.checks,
      candidates: explanation.candidates,
      leftOut: explanation.leftOut,
      hold: explanation.hold,
      queue: explanation.queue,
      raw,
    }
  }
  // The key itself was refused, so there is no explanation.
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : {}
  const message = typeof error['message'] === 'string' ? error['message'] : 'It was refused.'
  const code = typeof error['code'] === 'string' ? error['code'] : 'invalid_token'
  return {
    status,
    refusal: { code, message },
    checks: [{ name: 'key', isPassed: false, code, detail: message }],
    candidates: [],
    leftOut: [],
    hold: null,
    queue: null,
    raw,
  }
}

function statusOf(code: string): number {
  return Object.entries(faultStatus).find(([name]) => name === code)?.[1] ?? 400
}
