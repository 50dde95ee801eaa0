import { isInRange, parseAddressRange } from '../../core/access/address-range.ts'
import { findProblem } from '../../fields/find-problem.ts'
import type { Kind } from '../../fields/kind.ts'
import { addressKind, idKind, modelsKind, moneyKind, nameKind } from '../../fields/kinds.ts'
import type { ValueProblem } from '../../fields/problems.ts'

/*
 * Checks that forms and the back end share, beyond the definitions. The same functions run in the browser, so that a
 * user sees at once what the back end would refuse. A rule returns the problem, or undefined.
 */

type Rule<Value> = (value: Value) => ValueProblem | undefined

/** Rule for a value in the form of the APIs. */
function ruleOf<Value, Wire>({ wire }: Kind<Value, Wire>): Rule<Wire> {
  return (value) => findProblem(wire, value)?.problem
}

/** Rule for a text as a person types it. */
function writtenRuleOf<Value, Wire>({ written }: Kind<Value, Wire>): Rule<string> {
  return (text) => findProblem(written, text)?.problem
}

export const nameProblem = ruleOf(nameKind)
export const idProblem = ruleOf(idKind)
export const addressProblem = ruleOf(addressKind)
export const modelsProblem = ruleOf(modelsKind)
export const amountProblem = writtenRuleOf(moneyKind)
/** Rule for an amount in nano-US-dollars. */
export const nanoProblem = ruleOf(moneyKind)

/** Whether a list of addresses allows `address`. Forms call it before they save a list that locks the user out. */
export function isAddressAllowed(address: string, texts: readonly string[] | null): boolean {
  if (texts === null) return true
  return texts.some((text) => {
    const range = parseAddressRange(text)
    return range !== undefined && isInRange(address, range)
  })
}

/** Exact nano-US-dollars of a decimal such as `5.00`; undefined if the text is not an amount. */
export function nanoOfDollars(text: string): string | undefined {
  const reading = moneyKind.written.safeParse(text)
  return reading.success ? String(reading.data) : undefined
}

export function expiryProblem(expiresAt: number, nowMs: number): ValueProblem | undefined {
  return Number.isSafeInteger(expiresAt) && expiresAt > nowMs ? undefined : 'expiry_past'
}
