import { Fault } from '../../core/fault.ts'
import type { BudgetPeriod } from '../../core/limits/budget.ts'
import { dollarText, type Nano, smallerOf } from '../../core/money/money.ts'
import { costOfTokens } from '../../core/money/price.ts'
import type { KeyRecord } from '../../keys/key-record.ts'
import type {
  Hold,
  HoldRefusal,
  HoldRequest,
  HoldVerdict,
  Ledger,
  ShortBudget,
} from '../../ledger/ledger.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { Call } from '../call.ts'
import { guessInputTokens } from '../charge/estimate-input.ts'
import type { Constraint } from '../exchange.ts'
import type { Caller } from './authenticate.ts'
import { inputTokensAt } from './bound-input.ts'
import { constrain, isTranslated, withRoom } from './constraint.ts'
import { ledgerFault, retrySeconds } from './ledger-fault.ts'
import { type HoldParams, sizeHold, withAffordableCalls } from './size-hold.ts'

export interface Reserved {
  readonly hold: Hold
  /** The candidates that the hold covers. */
  readonly candidates: readonly Candidate[]
  readonly outputTokensMax: number
  /** Set when money was short: the request must stay within its hold. */
  readonly constraint: Constraint | undefined
  /** Set when money was short: the limit for calls of a hosted tool if the client has set none. */
  readonly callsMax: number | undefined
}

export interface ReserveParams extends HoldParams {
  readonly call: Call
  readonly caller: Caller
  /** The candidates to hold money for if it is too short for all. */
  readonly cheaper?: readonly Candidate[] | undefined
}

/** Holds the money, nearly always synchronously, or throws a fault with the reason for the refusal. */
export function reserve(params: ReserveParams, ledger: Ledger): Reserved | Promise<Reserved> {
  const { outputTokensMax, request } = holdRequestOf(params)
  const verdict = askLedger(ledger, request)
  if (verdict instanceof Promise) {
    return verdict.then((given) => accept(given, outputTokensMax, params, ledger), throwLedgerFault)
  }
  return accept(verdict, outputTokensMax, params, ledger)
}

function accept(
  verdict: HoldVerdict,
  outputTokensMax: number,
  params: ReserveParams,
  ledger: Ledger,
): Reserved | Promise<Reserved> {
  const { callsMax, candidates } = params
  if (verdict.ok)
    return { hold: verdict.hold, candidates, outputTokensMax, constraint: undefined, callsMax }
  return reserveLess(verdict.refusal, params, ledger)
}

/**
 * The money does not cover the full hold. So the input is bounded more tightly, and fewer calls of hosted tools or less
 * output may fit. Otherwise the request waits a while for money that running requests return.
 */
async function reserveLess(
  refusal: HoldRefusal,
  wide: ReserveParams,
  ledger: Ledger,
): Promise<Reserved> {
  const tight = { ...wide, input: wide.input.tighter() }
  const roomy = isTranslated(tight) ? withRoom(tight) : tight
  const params = withAffordableCalls(refusal.affordableNano, roomy)
  const { callsMax, candidates, cheaper } = params
  const { outputTokensMax, request } = holdRequestOf(params)
  const isShort = request.amountNano > refusal.affordableNano
  const part = isShort ? await reservePart(refusal, params, ledger) : undefined
  if (part) return part
  const reserveCheaper = (by: readonly Candidate[]) =>
    reserve({ ...wide, candidates: by, cheaper: undefined }, ledger)
  if (isShort && cheaper) return reserveCheaper(cheaper)
  const waitingRequest: HoldRequest = { ...request, waitsFor: 'in-flight' }
  const verdict = await Promise.resolve(askLedger(ledger, waitingRequest)).catch(throwLedgerFault)
  if (verdict.ok)
    return { hold: verdict.hold, candidates, outputTokensMax, constraint: undefined, callsMax }
  const rest = await reservePart(verdict.refusal, params, ledger)
  if (!rest && cheaper) return reserveCheaper(cheaper)
  if (!rest) throw refuseShortage(verdict.refusal, request.amountNano, wide.caller.key)
  return rest
}

/** Holds money for less output than requested. The request is then sent with a limit that the money covers. */
async function reservePart(
  refusal: HoldRefusal,
  whole: ReserveParams,
  ledger: Ledger,
): Promise<Reserved | undefined> {
  const params = isTranslated(whole) ? whole : withRoom(whole)
  const constraint = constrain(refusal, params)
  if (!constraint) return undefined
  const { callsMax, candidates } = params
  const { outputTokensMax, request } = holdRequestOf(params, constraint.tokensMax)
  const verdict = await Promise.resolve(askLedger(ledger, request)).catch(throwLedgerFault)
  if (!verdict.ok) return undefined
  return { hold: verdict.hold, candidates, outputTokensMax, constraint, callsMax }
}

function throwLedgerFault(error: unknown): never {
  throw ledgerFault(error)
}

function holdRequestOf(
  params: ReserveParams,
  tokensMax?: number,
): { outputTokensMax: number; request: HoldRequest } {
  const { call, caller, facts, input, candidates } = params
  const first = candidates[0]
  if (!first)
    throw new Fault(
      'no_upstream_available',
      'No upstream can serve this model now. Try again later.',
    )
  const { amountNano, outputTokensMax } = sizeHold(params, tokensMax)
  const inputTokens = Math.min(guessInputTokens(input), inputTokensAt(input, first))
  const inputNano = costOfTokens(first.price, first.group.factorMicro, inputTokens, 0)
  const request: HoldRequest = {
    requestId: call.requestId,
    accountId: caller.account.id,
    keyId: caller.key.id,
    userId: caller.key.ownerUserId,
    amountNano,
    recoveryNano: smallerOf(inputNano, amountNano),
    recovery: {
      at: call.receivedAtMs,
      model: first.model.id,
      protocol: params.client,
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

/** Fails closed: when the ledger is unavailable, nothing is forwarded. */
function askLedger(ledger: Ledger, request: HoldRequest): HoldVerdict | Promise<HoldVerdict> {
  try {
    return ledger.reserve(request)
  } catch (error) {
    throw ledgerFault(error)
  }
}

/**
 * The message states the amount needed and the amount available, so that the client knows what to change. The amount
 * available depends on the balance of the account, so not every key learns it.
 */
export function refuseShortage(
  refusal: HoldRefusal,
  neededNano: Nano,
  { seesBalance }: Pick<KeyRecord, 'seesBalance'>,
): Fault {
  const { reason, affordableNano, budget } = refusal
  const needed = dollarText(neededNano)
  if (!seesBalance) return refuseWithoutBalance(refusal, neededNano)
  const available = dollarText(affordableNano < 0n ? 0n : affordableNano)
  switch (reason) {
    case 'insufficient_credit':
      return new Fault(
        reason,
        `Insufficient credit: this request needs up to ${needed} and ${available} is available. Add credit, or ask for fewer output tokens.`,
      )
    case 'member_budget_exhausted':
    case 'account_budget_exhausted':
      return refuseBudget(reason, budget, neededNano, available)
    case 'key_quota_exhausted':
      if (budget) return refuseBudget(reason, budget, neededNano, available)
      return new Fault(
        reason,
        `The quota of this API key is not enough: this request needs up to ${needed} and ${available} is available. Raise the quota in the console, or ask for fewer output tokens.`,
      )
    case 'quota_in_flight':
      return new Fault(
        reason,
        `This request needs up to ${needed} and ${available} is available: the rest of the credit or quota is reserved for requests that are still running. Try again when they have ended.`,
        {
          retryAfterSeconds: retrySeconds,
        },
      )
  }
}

/** A key never has its own figure here: that figure would be the account's when the account has less than the key. */
function refuseWithoutBalance({ reason, budget }: HoldRefusal, neededNano: Nano): Fault {
  const needed = dollarText(neededNano)
  switch (reason) {
    case 'member_budget_exhausted':
    case 'account_budget_exhausted':
      return refuseBudget(reason, budget, neededNano)
    case 'insufficient_credit':
      return new Fault(
        reason,
        `Insufficient credit: this request needs up to ${needed}, which is more than the account can pay. Ask an owner of the account to add credit, or ask for fewer output tokens.`,
      )
    case 'key_quota_exhausted':
      if (budget) return refuseBudget(reason, budget, neededNano)
      return new Fault(
        reason,
        `The quota of this API key is not enough: this request needs up to ${needed}. The console shows the rest of the quota. Raise the quota there, or ask for fewer output tokens.`,
      )
    case 'quota_in_flight':
      return new Fault(
        reason,
        `This request needs up to ${needed}: a part of the credit or quota is reserved for requests that are still running. Try again when they have ended.`,
        { retryAfterSeconds: retrySeconds },
      )
  }
}

const budgetOwners = {
  key_quota_exhausted: 'this API key',
  member_budget_exhausted: 'the owner of this API key',
  account_budget_exhausted: 'this account',
} as const

/** Who can raise the budget. */
const budgetRemedies = {
  key_quota_exhausted: 'raise the budget of the key in the console',
  member_budget_exhausted: 'ask an owner of the account for a higher budget',
  account_budget_exhausted: 'ask the operator of the gateway for a higher budget',
} as const

const budgetNames: Readonly<Record<BudgetPeriod, string>> = {
  total: 'total budget',
  day: 'daily budget',
  week: 'weekly budget',
  month: 'monthly budget',
}

/**
 * The message and the body state when the budget resets, so that the client knows when to try again. Without an
 * available amount the caller must not learn what others spend, nor the limit of the account.
 */
function refuseBudget(
  code: keyof typeof budgetOwners,
  budget: ShortBudget | undefined,
  neededNano: Nano,
  available?: string,
): Fault {
  const { period = 'total', limitNano = 0n, resetsAtMs = null } = budget ?? {}
  const showsLimit = available !== undefined || code !== 'account_budget_exhausted'
  const amount = showsLimit ? ` of ${dollarText(limitNano)}` : ''
  const limit = `${budgetNames[period]}${amount} for ${budgetOwners[code]}`
  const rest = available === undefined ? '' : ` and ${available} is available`
  const resetsAt = resetsAtMs === null ? undefined : new Date(resetsAtMs).toISOString()
  const next = nextStep(resetsAt, budgetRemedies[code], showsLimit && neededNano > limitNano)
  return new Fault(
    code,
    `The ${limit} is not enough: this request needs up to ${dollarText(neededNano)}${rest}. ${next}`,
    resetsAt === undefined ? {} : { resetsAt },
  )
}

function nextStep(resetsAt: string | undefined, remedy: string, isBeyondLimit: boolean): string {
  const remedies = `${remedy}, or ask for fewer output tokens.`
  if (resetsAt === undefined) return `This budget does not reset: ${remedies}`
  return isBeyondLimit
    ? `The budget resets at ${resetsAt}, but the whole budget is less than this request needs: ${remedies}`
    : `The budget resets at ${resetsAt}. Try again then, ${remedies}`
}
