import type { Ledger } from '../../ledger/ledger.ts'
import type { CountQuestion } from '../count-tokens.ts'
import type { Exchange } from '../exchange.ts'
import {
  type CheckedRequest,
  type CheckParts,
  type CheckQuestion,
  checkRequest,
  countingOf,
  inputOf,
} from './check-request.ts'
import { outOfReach, reserve } from './reserve.ts'

export interface AdmitParts extends CheckParts {
  readonly ledger: Ledger
}

/** Every check, and the money that the request can cost set aside. */
export function admit(question: CheckQuestion, parts: AdmitParts): Promise<Exchange> {
  return checkRequest(question, parts, {}, (request) => holdMoney(request, parts))
}

/** The same up to the money: a count is free. */
export function admitCount(question: CheckQuestion, parts: CheckParts): Promise<CountQuestion> {
  return checkRequest(question, parts, {}, (request) => {
    const { call, caller, protocol, body, facts, plan } = request
    const { candidates } = plan
    return { call, caller, protocol, counting: countingOf(protocol), body, facts, candidates }
  })
}

async function holdMoney(request: CheckedRequest, { ledger }: AdmitParts): Promise<Exchange> {
  const { call, caller, protocol, body, facts, plan, conversation, story, resumedFrom } = request
  const input = inputOf(request)
  const { candidates } = plan
  const question = { call, caller, client: protocol.name, facts, input, candidates }
  const reserved = reserve(question, ledger)
  const { hold, outputTokensMax, constraint, callsMax } =
    reserved instanceof Promise ? await reserved : reserved
  try {
    await hold.admitted
  } catch (error) {
    throw outOfReach(error)
  }
  return {
    call,
    caller,
    protocol,
    body,
    facts,
    plan,
    conversation,
    input,
    hold,
    outputTokensMax,
    story,
    resumedFrom,
    constraint,
    callsMax,
  }
}
