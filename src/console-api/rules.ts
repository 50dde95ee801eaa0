import { isInRange, parseAddressRange } from '../core/address-range.ts'
import { type FeatureUnit, isFeature, unitOf } from '../core/feature.ts'
import { parseDecimal, parseDollars } from '../core/money.ts'

/*
 * What the console's forms and its back end both check: the same functions run in the browser, so that a person
 * reads at once what the back end would refuse. A rule answers with the problem, or undefined when there is none;
 * the browser has its own words for each problem, the back end those below.
 */

const passwordCharactersMin = 12
export const passwordCharactersMax = 256
const nameCharactersMax = 200
const addressesMax = 100
const groupsMax = 20
const modelsMax = 1_000
const longPromptsMax = 20

export const ruleMessages = {
  name_wrong: `must be a name of 1 to ${nameCharactersMax} characters on one line`,
  id_wrong: 'must be 1 to 128 letters, digits and . _ : @ / + - and begin with a letter or digit',
  email_wrong: 'must be an email address',
  password_short: `must have at least ${passwordCharactersMin} characters`,
  password_long: `must have at most ${passwordCharactersMax} characters`,
  address_wrong: 'must be an address or network such as 10.0.0.0/8 or ::1',
  addresses_many: `must have at most ${addressesMax} entries`,
  amount_wrong: 'must be an amount of US$ such as 5.00, not negative, with at most nine decimals',
  amount_zero: 'must be more than nothing',
  expiry_past: 'must be in the future',
  groups_none: 'must name at least one group',
  groups_many: `must name at most ${groupsMax} groups, each once`,
  models_many: `must name at most ${modelsMax} models, each once`,
  factor_wrong: 'must be a factor such as 1.5, not negative, with at most six decimals',
  url_wrong: 'must be an http:// or https:// address without user, query or fragment',
  proxy_wrong: 'must be an http:// address such as http://user:password@proxy.example.com:3128',
  credential_wrong: 'must be printable text without spaces',
  code_wrong: 'must be the six digits of the authenticator app, or a recovery code',
  count_wrong: 'must be a whole number from 1 to 1000000000',
  steps_wrong: `must have at most ${longPromptsMax} steps, each for another length`,
} as const

export type RuleProblem = keyof typeof ruleMessages

const dollarsMost = 1_000_000_000n * 1_000_000_000n
const factorMost = 1_000_000n * 1_000_000n
const countMost = 1_000_000_000

export function nameProblem(text: string): RuleProblem | undefined {
  return /^[^\p{Cc}]{1,200}$/u.test(text) && text.trim() !== '' ? undefined : 'name_wrong'
}

export function idProblem(text: string): RuleProblem | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,127}$/.test(text) ? undefined : 'id_wrong'
}

export function emailProblem(text: string): RuleProblem | undefined {
  return /^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 254 ? undefined : 'email_wrong'
}

export function passwordProblem(text: string): RuleProblem | undefined {
  if (text.length < passwordCharactersMin) return 'password_short'
  return text.length > passwordCharactersMax ? 'password_long' : undefined
}

export function addressProblem(text: string): RuleProblem | undefined {
  return parseAddressRange(text) ? undefined : 'address_wrong'
}

export function addressesProblem(texts: readonly string[]): RuleProblem | undefined {
  if (texts.length > addressesMax) return 'addresses_many'
  return texts.map(addressProblem).find((problem) => problem !== undefined)
}

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
  const nano = parseDollars(text)
  return nano !== undefined && nano >= 0n && nano <= dollarsMost ? nano.toString() : undefined
}

export function amountProblem(dollars: string): RuleProblem | undefined {
  return nanoOfDollars(dollars) === undefined ? 'amount_wrong' : undefined
}

/** The same for an amount as the contract carries it. */
export function nanoProblem(nano: string): RuleProblem | undefined {
  return /^\d{1,19}$/.test(nano) && BigInt(nano) <= dollarsMost ? undefined : 'amount_wrong'
}

/** A feature's price as the contract carries it: an amount in nano, or a factor in millionths. */
export function featureProblem(price: string): RuleProblem | undefined {
  return /^\d{1,15}$/.test(price) ? undefined : 'amount_wrong'
}

/** What was typed for a feature, as the contract carries it; undefined when it is none. */
export function featurePriceOf(feature: string, text: string): string | undefined {
  const price = parseDecimal(text, isFactor(feature) ? 6 : 9)
  const digits = price === undefined || price < 0n ? '' : String(price)
  return featureProblem(digits) === undefined ? digits : undefined
}

/** What fits into a field for it, as short as it can be said exactly. */
export function featureText(feature: string, price: string): string {
  const unit = isFactor(feature) ? 1_000_000n : 1_000_000_000n
  const rest = String((BigInt(price) % unit) + unit)
    .slice(1)
    .replace(/0+$/, '')
  return `${BigInt(price) / unit}${rest === '' ? '' : `.${rest}`}`
}

/** `call`, `tokens` or `factor`. */
export function featureUnit(feature: string): FeatureUnit {
  return isFeature(feature) ? unitOf(feature) : 'call'
}

function isFactor(feature: string): boolean {
  return featureUnit(feature) === 'factor'
}

/** The lengths at which the steps of a price begin, in any order. */
export function longPromptsProblem(aboves: readonly number[]): RuleProblem | undefined {
  const isGood = aboves.length <= longPromptsMax && new Set(aboves).size === aboves.length
  return isGood ? undefined : 'steps_wrong'
}

/** A credit as the contract carries it; a negative one takes money back. */
export function creditProblem(nano: string): RuleProblem | undefined {
  const digits = nano.replace(/^-/, '')
  return nanoProblem(digits) ?? (BigInt(digits) === 0n ? 'amount_zero' : undefined)
}

/** As `nanoOfDollars`, for an amount that may be negative. */
export function nanoOfCredit(text: string): string | undefined {
  const isNegative = /^\s*[-−]/.test(text)
  const nano = nanoOfDollars(isNegative ? text.replace(/^\s*[-−]/, '') : text)
  return nano !== undefined && isNegative ? `-${nano}` : nano
}

export function expiryProblem(expiresAt: number, nowMs: number): RuleProblem | undefined {
  return Number.isSafeInteger(expiresAt) && expiresAt > nowMs ? undefined : 'expiry_past'
}

export function groupsProblem(groups: readonly string[]): RuleProblem | undefined {
  if (groups.length === 0) return 'groups_none'
  const isGood = groups.length <= groupsMax && new Set(groups).size === groups.length
  return isGood ? undefined : 'groups_many'
}

export function modelsProblem(models: readonly string[]): RuleProblem | undefined {
  const isGood = models.length <= modelsMax && new Set(models).size === models.length
  return isGood ? undefined : 'models_many'
}

/** Millionths of a factor such as `1.5`. */
export function microOfFactor(text: string): number | undefined {
  const micro = parseDecimal(text, 6)
  return micro !== undefined && micro >= 0n && micro <= factorMost ? Number(micro) : undefined
}

export function factorProblem(text: string): RuleProblem | undefined {
  return microOfFactor(text) === undefined ? 'factor_wrong' : undefined
}

export function urlProblem(text: string): RuleProblem | undefined {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return 'url_wrong'
  const { username, password, search, hash } = new URL(text)
  return username + password + search + hash === '' ? undefined : 'url_wrong'
}

export function proxyProblem(text: string): RuleProblem | undefined {
  return /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : 'proxy_wrong'
}

export function credentialProblem(text: string): RuleProblem | undefined {
  return /^[\x21-\x7e]{1,4096}$/.test(text) ? undefined : 'credential_wrong'
}

export function codeProblem(text: string): RuleProblem | undefined {
  return /^\s*(?:\d{3}\s?\d{3}|[a-z2-7]{4}(?:-?[a-z2-7]{4}){2,3})\s*$/i.test(text)
    ? undefined
    : 'code_wrong'
}

const hourMs = 3_600_000

/**
 * Where a period of so many hours begins that ends now: with a whole hour, the one that has begun being its last. Then
 * all of it is in the sums of the hours, and every page means the same by `7 days`.
 */
export function periodStart(nowMs: number, lengthMs: number): number {
  return nowMs - (nowMs % hourMs) + hourMs - lengthMs
}

export function countProblem(count: number): RuleProblem | undefined {
  return Number.isSafeInteger(count) && count >= 1 && count <= countMost ? undefined : 'count_wrong'
}
