import { Fault } from '../../core/fault.ts'
import type { BudgetOwnerKind } from '../../core/limits/budget.ts'
import { BudgetZoneUnknown, OwnerLeft } from '../../ledger/ledger.ts'
import { unusableKey } from './authenticate.ts'
import { invalidToken } from './presented-key.ts'

export const retrySeconds = 1

/** The fault for an error of the ledger. Without the ledger, nothing is forwarded. */
export function ledgerFault(error: unknown): Fault {
  if (error instanceof OwnerLeft) return invalidToken(unusableKey)
  return error instanceof BudgetZoneUnknown ? unknownZone(error) : ledgerUnavailable(error)
}

function ledgerUnavailable(cause: unknown): Fault {
  return new Fault(
    'unavailable',
    'The gateway cannot reach its ledger, so it cannot accept requests now. Try again.',
    {
      retryAfterSeconds: retrySeconds,
      operatorMessage: `reserving failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    },
  )
}

/** Whose budget has the unknown time zone, and who can set another one. */
const zoneTexts: Readonly<Record<BudgetOwnerKind, { owner: string; remedy: string }>> = {
  key: { owner: 'this API key', remedy: 'Set another time zone for the key in the console.' },
  member: {
    owner: 'the owner of this API key',
    remedy: 'Ask an owner of the account to set another time zone.',
  },
  account: {
    owner: 'this account',
    remedy: 'Ask the operator of the gateway to set another time zone.',
  },
}

/** Nobody can tell what is left of the budget. A retry would not help. */
function unknownZone(cause: BudgetZoneUnknown): Fault {
  const { owner, remedy } = zoneTexts[cause.owner.kind]
  return new Fault(
    'unavailable',
    `The budget of ${owner} has the time zone ${JSON.stringify(cause.zone)}, which this gateway does not know, so the gateway cannot determine what is left of the budget. ${remedy}`,
    { isFinal: true, operatorMessage: cause.message, cause },
  )
}
