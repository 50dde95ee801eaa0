import { isInRange, parseAddressRange } from '../core/address-range.ts'
import { parseDecimal } from '../core/money.ts'
import { findProblem } from '../fields/find-problem.ts'
import type { Kind } from '../fields/kind.ts'
import {
  addressesKind,
  addressKind,
  countKind,
  credentialKind,
  emailKind,
  factorKind,
  groupsKind,
  idKind,
  modelsKind,
  moneyKind,
  nameKind,
  passwordKind,
  proxyKind,
  urlKind,
} from '../fields/kinds.ts'
import { longPromptsMax, type Problem } from '../fields/problems.ts'
import { isFactor } from './figures.ts'

/*
 * What the console's forms and its back end both check, beyond the definitions of things: the same functions run in the
 * browser, so that a person reads at once what the back end would refuse. A rule answers with the problem, or undefined
 * when there is none.
 */

type Rule<Value> = (value: Value) => Problem | undefined

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
export const emailProblem = ruleOf(emailKind)
export const passwordProblem = ruleOf(passwordKind)
export const addressProblem = ruleOf(addressKind)
export const addressesProblem = ruleOf(addressesKind)
export const groupsProblem = ruleOf(groupsKind)
export const modelsProblem = ruleOf(modelsKind)
export const urlProblem = ruleOf(urlKind)
export const proxyProblem = ruleOf(proxyKind)
export const credentialProblem = ruleOf(credentialKind)
export const countProblem = ruleOf(countKind(1))
export const amountProblem = writtenRuleOf(moneyKind)
export const factorProblem = writtenRuleOf(factorKind)
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

/** A feature's price as the contract carries it: an amount in nano, or a factor in millionths. */
export function featureProblem(price: string): Problem | undefined {
  return /^\d{1,15}$/.test(price) ? undefined : 'amount_wrong'
}

/** What was typed for a feature, as the contract carries it; undefined when it is none. */
export function featurePriceOf(feature: string, text: string): string | undefined {
  const price = parseDecimal(text, isFactor(feature) ? 6 : 9)
  const digits = price === undefined || price < 0n ? '' : String(price)
  return featureProblem(digits) === undefined ? digits : undefined
}

/** The lengths at which the steps of a price begin, in any order. */
export function longPromptsProblem(aboves: readonly number[]): Problem | undefined {
  const isGood = aboves.length <= longPromptsMax && new Set(aboves).size === aboves.length
  return isGood ? undefined : 'steps_wrong'
}

/** A credit as the contract carries it; a negative one takes money back. */
export function creditProblem(nano: string): Problem | undefined {
  const digits = nano.replace(/^-/, '')
  return nanoProblem(digits) ?? (BigInt(digits) === 0n ? 'amount_zero' : undefined)
}

/** As `nanoOfDollars`, for an amount that may be negative. */
export function nanoOfCredit(text: string): string | undefined {
  const isNegative = /^\s*[-−]/.test(text)
  const nano = nanoOfDollars(isNegative ? text.replace(/^\s*[-−]/, '') : text)
  return nano !== undefined && isNegative ? `-${nano}` : nano
}

export function expiryProblem(expiresAt: number, nowMs: number): Problem | undefined {
  return Number.isSafeInteger(expiresAt) && expiresAt > nowMs ? undefined : 'expiry_past'
}

/** Millionths of a factor such as `1.5`. */
export function microOfFactor(text: string): number | undefined {
  const reading = factorKind.written.safeParse(text)
  return reading.success ? Number(reading.data) : undefined
}

export function codeProblem(text: string): Problem | undefined {
  return /^\s*(?:\d{3}\s?\d{3}|[a-z2-7]{4}(?:-?[a-z2-7]{4}){2,3})\s*$/i.test(text)
    ? undefined
    : 'code_wrong'
}
