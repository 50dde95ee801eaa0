import type { Candidate } from '../../routing/route-set.ts'
import { sizeHold } from '../admit/size-hold.ts'
import type { Exchange } from '../exchange.ts'

/**
 * The hold covers the requested model, because most requests need no more. Before a spare fallback model takes the
 * request, the hold is extended to what it can cost. False if there is no money for that: then the request has only its
 * own model.
 */
export function coverSpares(exchange: Exchange, candidate: Candidate): boolean | Promise<boolean> {
  const { coversSpares, facts, hold } = exchange
  if (coversSpares || candidate.model.id === facts.model) return true
  const { protocol, input, callsMax, plan } = exchange
  const { candidates } = plan
  const params = { client: protocol.name, facts, input, candidates, callsMax }
  const moreNano = sizeHold(params).amountNano - hold.grantedNano
  const extended = moreNano <= 0n || hold.extend(moreNano)
  const note = (isCovered: boolean) => (isCovered ? cover(exchange) : leaveOut(exchange))
  return extended instanceof Promise ? extended.then(note) : note(extended)
}

function cover(exchange: Exchange): true {
  exchange.coversSpares = true
  return true
}

function leaveOut(exchange: Exchange): false {
  const { plan, facts, skipped, permit } = exchange
  for (const candidate of plan.candidates)
    if (candidate.model.id !== facts.model)
      skipped.push({ candidate, cause: 'upstream', waitMs: undefined })
  exchange.planParams = { ...exchange.planParams, withoutFallbacks: true }
  // The server may have taken a place at the credential of a fallback model.
  permit?.takeCredential?.(undefined)
  return false
}
