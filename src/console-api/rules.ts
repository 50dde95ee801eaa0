import { isInRange, parseAddressRange } from '../core/address-range.ts'
import { findProblem } from '../fields/find-problem.ts'
import type { Kind } from '../fields/kind.ts'
import { addressKind, idKind, modelsKind, moneyKind, nameKind } from '../fields/kinds.ts'
import type { ValueProblem } from '../fields/problems.ts'

/*
 * What the console's forms and its back end both check, beyond the definitions of things: the same functions run in the
 * browser, so that a person reads at once what the back end would refuse. A rule answers with the problem, or undefined
 * when there is none.
 */

type Rule<Value> = (value: Value) => ValueProblem | undefined

/** What is wrong with a value as the APIs carry it. */
function ruleOf<Value, Wire>({ wire }: Kind<Value, Wire>): Rule<Wire> {
  return (value) => findProblem(wire, value)?.problem
}

/** What is wrong with a text as a person writes it. */
function writtenRuleOf<Value, Wire>({ written }: Kind<Value, Wire>): Rule<string> {
  return (text) => findProblem(written, text)?.problem
}

export const nameProblem = ruleOf(nameKind)
export const idProblem = ruleOf(idKind)
export const addressProblem = ruleOf(addressKind)
export const modelsProblem = ruleOf(modelsKind)
export const amountProblem = writtenRuleOf(moneyKind)
/** The same for an amount as the contract carries it. */
export const nanoProblem = ruleOf(moneyKind)

/** Whether a key with this list can be used from `address`: ask it before a list is saved that locks one out. */
export function isAddressAllowed(address: string, texts: readonly string[] | null): boolean {
  if (texts === null) return true
  return texts.some((text) => {
    const range = parseAddressRange(text)
    return range !== undefined && isInRange(address, range)
  })
}

/** Exact nano of a decimal such as `5.00`, as the contract carries it; undefined when it is not an amount. */
export function nanoOfDollars(text: string): string | undefined {
  const reading = moneyKind.written.safeParse(text)
  return reading.success ? String(reading.data) : undefined
}

export function expiryProblem(expiresAt: number, nowMs: number): ValueProblem | undefined {
  return Number.isSafeInteger(expiresAt) && expiresAt > nowMs ? undefined : 'expiry_past'
}
