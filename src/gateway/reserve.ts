import { Fault } from '../core/fault.ts'
import { smallerOf } from '../core/money.ts'
import { costOfTokens } from '../core/price.ts'
import type { Hold, HoldVerdict, HoldWish, Ledger, Shortage } from '../ledger/ledger.ts'
import type { RequestFacts } from '../protocols/protocol.ts'
import type { Candidate } from '../routing/plan.ts'
import type { Caller } from './authenticate.ts'
import type { Call } from './call.ts'
import { guessInputTokens } from './estimate-input.ts'
import { sizeHold } from './size-hold.ts'

export interface Reserved {
  readonly hold: Hold
  readonly outputTokensMax: number
}

export interface ReserveQuestion {
  readonly call: Call
  readonly caller: Caller
  readonly protocol: string
  readonly facts: RequestFacts
  readonly bodyBytes: number
  readonly candidates: readonly Candidate[]
}

const retrySeconds = 1

/** Sets the money aside, nearly always at once, or refuses with the reason why it cannot be. */
export function reserve(question: ReserveQuestion, ledger: Ledger): Reserved | Promise<Reserved> {
  const { outputTokensMax, wish } = wishOf(question)
  const verdict = askLedger(ledger, wish)
  if (!(verdict instanceof Promise)) return accept(verdict, outputTokensMax)
  return verdict.then(
    (given) => accept(given, outputTokensMax),
    (error: unknown) => {
      throw outOfReach(error)
    },
  )
}

function wishOf(question: ReserveQuestion): { outputTokensMax: number; wish: HoldWish } {
  const { call, caller, facts, candidates } = question
  const first = candidates[0]
  if (!first) throw new Fault('no_upstream_available', 'No upstream can answer this model now.')
  const { amountNano, outputTokensMax } = sizeHold(question.bodyBytes, facts, candidates)
  const inputTokens = guessInputTokens(question.bodyBytes)
  const inputNano = costOfTokens(first.price, first.group.factorMicro, inputTokens, 0)
  const wish = {
    requestId: call.requestId,
    accountId: caller.account.id,
    keyId: caller.key.id,
    amountNano,
    recoveryNano: smallerOf(inputNano, amountNano),
    story: {
      at: call.receivedAtMs,
      model: facts.model,
      protocol: question.protocol,
      groupId: first.group.id,
      priceVersionId: first.price.versionId,
      factorMicro: Number(first.group.factorMicro),
      inputTokens,
      isStream: facts.isStream,
      clientAddress: call.address,
    },
  }
  return { outputTokensMax, wish }
}

/** Never a free answer: when the ledger cannot be asked, nothing is forwarded. */
function askLedger(ledger: Ledger, wish: HoldWish): HoldVerdict | Promise<HoldVerdict> {
  try {
    return ledger.reserve(wish)
  } catch (error) {
    throw outOfReach(error)
  }
}

function accept(verdict: HoldVerdict, outputTokensMax: number): Reserved {
  if (verdict.ok) return { hold: verdict.hold, outputTokensMax }
  throw refuseShortage(verdict.reason)
}

export function outOfReach(cause: unknown): Fault {
  return new Fault(
    'unavailable',
    'The gateway cannot reach its ledger, so it cannot take requests now. Try again.',
    {
      retryAfterSeconds: retrySeconds,
      operatorMessage: `reserving failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    },
  )
}

function refuseShortage(reason: Shortage): Fault {
  switch (reason) {
    case 'insufficient_credit':
      return new Fault(
        reason,
        'The account has not enough credit for this request. Add credit, or ask for fewer output tokens.',
      )
    case 'key_quota_exhausted':
      return new Fault(
        reason,
        'The quota of this API key is not enough for this request. Raise it in the console, or ask for fewer output tokens.',
      )
    case 'quota_in_flight':
      return new Fault(
        reason,
        'What is left of the credit or quota is held by requests that are still running. Try again when they have ended.',
        {
          retryAfterSeconds: retrySeconds,
        },
      )
  }
}
