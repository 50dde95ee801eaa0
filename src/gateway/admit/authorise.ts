import { isInRange } from '../../core/access/address-range.ts'
import { Fault } from '../../core/fault.ts'
import type { Call } from '../call.ts'
import type { Caller } from './authenticate.ts'

/** Throws 403 for a known caller who may not call at all. */
export function authoriseCaller({ key, account }: Caller, { address }: Call, nowMs: number): void {
  if (account.isSuspended) {
    throw new Fault(
      'account_suspended',
      'The account of this API key is suspended. Ask the operator.',
    )
  }
  if (account.endsAtMs !== undefined && account.endsAtMs <= nowMs) {
    throw new Fault(
      'account_expired',
      'The account of this API key is past its end date. Ask the operator to extend it.',
    )
  }
  if (key.addresses && !key.addresses.some((range) => isInRange(address, range))) {
    throw new Fault(
      'ip_not_allowed',
      `This API key may not be used from ${address}. Add the address to the key's allowed addresses in the console.`,
    )
  }
}

/** Throws 403 for a model that is not in the key's list. An empty list allows no model. */
export function authoriseModel({ key }: Caller, model: string): void {
  if (key.models && !key.models.has(model)) {
    throw new Fault(
      'model_not_allowed',
      `This API key may not call the model "${model.slice(0, 200)}". GET /v1/models lists the models that it may call.`,
      {
        param: 'model',
      },
    )
  }
}
