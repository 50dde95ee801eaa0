import { Fault } from '../../core/fault.ts'
import { formatDollars, type Nano, smallerOf } from '../../core/money.ts'
import { costOfTokens } from '../../core/price.ts'
import type { Hold, HoldRefusal, HoldRequest, HoldVerdict, Ledger } from '../../ledger/ledger.ts'
import type { Call } from '../call.ts'
import { guessInputTokens } from '../charge/estimate-input.ts'
import type { Caller } from './authenticate.ts'
import { inputTokensAt } from './bound-input.ts'
import { type Constraint, constrain, isTranslated, withRoom } from './constraint.ts'
import { type HoldQuestion, sizeHold, withAffordableCalls } from './size-hold.ts'

export interface Reserved {
  readonly hold: Hold
  readonly outputTokensMax: number
  /** Money was short: the request must be kept within what was set aside. */
  readonly constraint: Constraint | undefined
  /** Money was short: a hosted tool without a limit of the caller's own may make no more calls than this. */
  readonly callsMax: number | undefined
}

export interface ReserveQuestion extends HoldQuestion {
  readonly call: Call
  readonly caller: Caller
}

const retrySeconds = 1

/** Sets the money aside, nearly always at once, or refuses with the reason why it cannot be. */
export function reserve(question: ReserveQuestion, ledger: Ledger): Reserved | Promise<Reserved> {
  const { outputTokensMax, request } = wishOf(question)
  const verdict = askLedger(ledger, request)
  if (verdict instanceof Promise) {
    return verdict.then((given) => accept(given, outputTokensMax, question, ledger), giveUp)
  }
  return accept(verdict, outputTokensMax, question, ledger)
}

function accept(
  verdict: HoldVerdict,
  outputTokensMax: number,
  question: ReserveQuestion,
  ledger: Ledger,
): Reserved | Promise<Reserved> {
  const { callsMax } = question
  if (verdict.ok) return { hold: verdict.hold, outputTokensMax, constraint: undefined, callsMax }
  return reserveLess(verdict.refusal, question, ledger)
}

/**
 * The whole is too much. So its input is bounded more narrowly, and perhaps fewer calls of hosted tools or a part of
 * its output will do; otherwise it waits a while for what requests under way give back.
 */
async function reserveLess(
  refusal: HoldRefusal,
  wide: ReserveQuestion,
  ledger: Ledger,
): Promise<Reserved> {
  const tight = { ...wide, input: wide.input.tighter() }
  const roomy = isTranslated(tight) ? withRoom(tight) : tight
  const question = withAffordableCalls(refusal.affordableNano, roomy)
  const { callsMax } = question
  const { outputTokensMax, request } = wishOf(question)
  const isShort = request.amountNano > refusal.affordableNano
  const part = isShort ? await reservePart(refusal, question, ledger) : undefined
  if (part) return part
  const patient: HoldRequest = { ...request, waitsFor: 'in-flight' }
  const verdict = await Promise.resolve(askLedger(ledger, patient)).catch(giveUp)
  if (verdict.ok) return { hold: verdict.hold, outputTokensMax, constraint: undefined, callsMax }
  const rest = await reservePart(verdict.refusal, question, ledger)
  if (!rest) throw refuseShortage(verdict.refusal, request.amountNano)
  return rest
}

/** Less output than was asked for: then the request goes out with a limit that can be paid. */
async function reservePart(
  refusal: HoldRefusal,
  whole: ReserveQuestion,
  ledger: Ledger,
): Promise<Reserved | undefined> {
  const question = isTranslated(whole) ? whole : withRoom(whole)
  const constraint = constrain(refusal, question)
  if (!constraint) return undefined
  const { callsMax } = question
  const { outputTokensMax, request } = wishOf(question, constraint.tokensMax)
  const verdict = await Promise.resolve(askLedger(ledger, request)).catch(giveUp)
  return verdict.ok ? { hold: verdict.hold, outputTokensMax, constraint, callsMax } : undefined
}

function giveUp(error: unknown): never {
  throw outOfReach(error)
}

function wishOf(
  question: ReserveQuestion,
  tokensMax?: number,
): { outputTokensMax: number; request: HoldRequest } {
  const { call, caller, facts, input, candidates } = question
  const first = candidates[0]
  if (!first) throw new Fault('no_upstream_available', 'No upstream can answer this model now.')
  const { amountNano, outputTokensMax } = sizeHold(question, tokensMax)
  const inputTokens = Math.min(guessInputTokens(input), inputTokensAt(input, first))
  const inputNano = costOfTokens(first.price, first.group.factorMicro, inputTokens, 0)
  const request: HoldRequest = {
    requestId: call.requestId,
    accountId: caller.account.id,
    keyId: caller.key.id,
    amountNano,
    recoveryNano: smallerOf(inputNano, amountNano),
    recovery: {
      at: call.receivedAtMs,
      model: first.model.id,
      protocol: question.client,
      groupId: first.group.id,
      priceVersionId: first.price.versionId,
      factorMicro: Number(first.group.factorMicro),
      inputTokens,
      isStream: facts.isStream,
      clientAddress: call.address,
    },
  }
  return { outputTokensMax, request }
}

/** Never a free answer: when the ledger cannot be asked, nothing is forwarded. */
function askLedger(ledger: Ledger, request: HoldRequest): HoldVerdict | Promise<HoldVerdict> {
  try {
    return ledger.reserve(request)
  } catch (error) {
    throw outOfReach(error)
  }
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

/** Says how much is needed and how much there is, so that the caller knows what to change. */
export function refuseShortage({ reason, affordableNano }: HoldRefusal, neededNano: Nano): Fault {
  const needed = `$${formatDollars(neededNano)}`
  const available = `$${formatDollars(affordableNano < 0n ? 0n : affordableNano)}`
  switch (reason) {
    case 'insufficient_credit':
      return new Fault(
        reason,
        `Insufficient credit: this request needs up to ${needed} and ${available} is available. Add credit, or ask for fewer output tokens.`,
      )
    case 'key_quota_exhausted':
      return new Fault(
        reason,
        `The quota of this API key is not enough: this request needs up to ${needed} and ${available} is available. Raise the quota in the console, or ask for fewer output tokens.`,
      )
    case 'quota_in_flight':
      return new Fault(
        reason,
        `This request needs up to ${needed} and ${available} is available: the rest of the credit or quota is held by requests that are still running. Try again when they have ended.`,
        {
          retryAfterSeconds: retrySeconds,
        },
      )
  }
}
