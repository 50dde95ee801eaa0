import { z } from 'zod'
import { parseAddressRange } from '../core/access/address-range.ts'
import {
  formatDollars,
  type Nano,
  parseDecimal,
  parseDollars,
  shortDecimal,
} from '../core/money/money.ts'
import { hiddenCharacters } from '../core/text/characters.ts'
import { isTimeZone } from '../core/time/time-zone.ts'
import {
  describedAddress,
  describedProxy,
  describedSingleAddress,
  describedUrl,
  describedZone,
} from './described-patterns.ts'
import { codecOf, counted, isPlain, type Kind, kindOf, listOf, textKind } from './kind.ts'
import {
  accountsMax,
  addressesMax,
  countMax,
  groupsMax,
  idCharactersMax,
  keyValueCharactersMax,
  keyValueCharactersMin,
  modelsMax,
  nameCharactersMax,
  passwordCharactersMax,
  passwordCharactersMin,
  problemMessage,
  type ValueProblem,
  waitMsMax,
} from './problems.ts'

/* The kinds of fields of the managed resources. Each rule is defined only here. */

/** The characters of an id after its first one, for a pattern. */
export const idCharacters = 'A-Za-z0-9._:@/+-'
export const idPattern = new RegExp(`^[A-Za-z0-9][${idCharacters}]{0,${idCharactersMax - 1}}$`)

export const idKind: Kind<string> = {
  ...textKind('id_wrong', { pattern: idPattern, max: idCharactersMax }),
  placeholder: 'ID',
}

// Written without Unicode classes, so that readers of the API description who lack them understand the pattern.
const control = String.raw`\u0000-\u001f\u007f-\u009f`
const lineWithout = (characters: string) =>
  `^[^${characters}]*[^\\s${characters}][^${characters}]*$`

/** One line, not only spaces, without hidden characters. Surrounding spaces are removed. */
export const nameKind = trimmed(
  textKind('name_wrong', {
    pattern: new RegExp(lineWithout(control)),
    described: lineWithout(control + hiddenCharacters),
    max: nameCharactersMax,
    isShown: true,
  }),
  'name_wrong',
)

function trimmed(
  { wire, ...kind }: Kind<string>,
  problem: ValueProblem,
  read = (text: string) => text,
): Kind<string> {
  const codec = codecOf(wire, z.string(), problem, {
    read: (text) => read(text.trim()),
    write: (text) => text,
  })
  return { ...kind, ...kindOf('text', codec) }
}

const emailCharactersMax = 254
const emailPattern = new RegExp(`^\\s*[^\\s@${control}]+@[^\\s@${control}]+\\s*$`)

/** Converted to lower case, so that two spellings are one address. Surrounding spaces are removed. */
function addressKindOf(isShown: boolean): Kind<string> {
  const without = `${control}${isShown ? hiddenCharacters : ''}`
  const described = `^\\s*[^\\s@${without}]+@[^\\s@${without}]+\\s*$`
  const limits = { pattern: emailPattern, described, max: emailCharactersMax, isShown }
  const kind = trimmed(textKind('email_wrong', limits), 'email_wrong', (text) => text.toLowerCase())
  return { ...kind, placeholder: 'EMAIL' }
}

export const emailKind = addressKindOf(true)
/** A user, by email address or id. An address may have characters that no id has. */
export const userKind: Kind<string> = {
  ...textKind('user_wrong', {
    pattern: new RegExp(`^[^\\s${control}]+$`),
    max: emailCharactersMax,
  }),
  placeholder: 'USER',
}
/** The address of a user who may be older than the rule about hidden characters, for signing in. */
export const knownEmailKind = addressKindOf(false)

// Not every OpenAPI tool knows the short form.
const zero = String.raw`\u0000`
export const withoutZero = new RegExp(`^[^${zero}]*$`)

/** Text with any characters and line breaks. */
function anyText(limits: Parameters<typeof counted>[1]): Kind<string> {
  const error = problemMessage('text_plain')
  const text = counted(z.string({ error: problemMessage('text_wrong') }), limits)
    .regex(withoutZero, { error })
    .refine(isPlain, { error })
  return { ...kindOf('text', text), charactersMax: limits.max }
}

export function plainTextKind(max: number): Kind<string> {
  const error = problemMessage('text_long', { max })
  return anyText({ min: 1, max, short: error, long: error })
}

/** A new password. */
export const passwordKind = anyText({
  min: passwordCharactersMin,
  max: passwordCharactersMax,
  short: problemMessage('password_short'),
  long: problemMessage('password_long'),
})

/** An existing password, which may be from a time when fewer characters were enough. */
export const givenPasswordKind = plainTextKind(passwordCharactersMax)

export const flagKind = kindOf('flag', z.boolean({ error: problemMessage('flag_wrong') }))

export function countKind(min: number, max: number = countMax): Kind<number> {
  return boundedKind('count_wrong', { min, max })
}

function boundedKind(problem: ValueProblem, bounds: { min: number; max: number }): Kind<number> {
  const error = problemMessage(problem, bounds)
  const schema = z.int({ error }).min(bounds.min, { error }).max(bounds.max, { error })
  return { ...kindOf('number', schema), bounds }
}

/** In a month without this day, its last day takes its place. */
export const monthDayKind = countKind(1, 31)
export const percentKind = countKind(1, 100)

/** A name of the IANA time zone database. */
export const zoneKind: Kind<string> = {
  ...textKind('zone_wrong', { described: describedZone, max: 64, isGood: isTimeZone }),
  placeholder: 'ZONE',
  // Not every runtime lists UTC.
  suggestions: () => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])],
}

/** Milliseconds. */
export function waitKind(min: number): Kind<number> {
  return boundedKind('wait_wrong', { min, max: waitMsMax })
}

/** Whole nano-US-dollars, up to `dollarsMax`. */
export const amountPattern = /^(?:0|[1-9][0-9]{0,17}|10{18})$/
export const dollarsMax = 1_000_000_000n * 1_000_000_000n
const amount = z.bigint()

/** US$: `5.00` where people write it, whole nanos in decimal where programs do. */
export const moneyKind: Kind<Nano, string> = {
  entry: 'money',
  show: String,
  write: formatDollars,
  wire: codecOf(
    z
      .string({ error: problemMessage('nano_wrong') })
      .regex(amountPattern, { error: problemMessage('nano_wrong') }),
    amount,
    'nano_wrong',
    { read: BigInt, write: String },
  ),
  written: codecOf<Nano, string | number>(
    z.union([z.string(), z.number()], { error: problemMessage('amount_wrong') }),
    amount,
    'amount_wrong',
    { read: (text) => inBounds(parseDollars(text), dollarsMax), write: formatDollars },
  ),
}

const factorMost = 1_000_000n * 1_000_000n

/** In millionths; written as `1.5` everywhere. */
export const factorKind: Kind<bigint, string> = {
  entry: 'text',
  show: factorText,
  write: factorText,
  wire: codecOf(
    z
      .string({ error: problemMessage('factor_wrong') })
      .regex(/^(?:\d{1,6}(?:\.\d{1,6})?|1000000(?:\.0{1,6})?)$/, {
        error: problemMessage('factor_wrong'),
      }),
    amount,
    'factor_wrong',
    { read: readFactor, write: factorText },
  ),
  written: codecOf<bigint, string | number>(
    z.union([z.string(), z.number()], { error: problemMessage('factor_wrong') }),
    amount,
    'factor_wrong',
    { read: readFactor, write: factorText },
  ),
}

function readFactor(text: string | number): bigint | undefined {
  return inBounds(parseDecimal(text, 6), factorMost)
}

/** The shortest exact form: `1.5`, `1`. */
export function factorText(micro: bigint): string {
  return shortDecimal(micro, 6)
}

function inBounds(value: bigint | undefined, most: bigint): bigint | undefined {
  return value !== undefined && value >= 0n && value <= most ? value : undefined
}

/** Years beyond 9999 have six digits, as in JavaScript. */
const instantPattern =
  /^(?:\d{4}|\+\d{6})-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/
/** The latest date that JavaScript supports. */
const dateMost = 8_640_000_000_000_000
/** A day earlier, because a price begins at least a millisecond after the one before it. */
const instantMost = dateMost - 86_400_000
const instantMs = z
  .int({ error: problemMessage('number_wrong') })
  .min(0, { error: problemMessage('number_wrong') })
  .max(instantMost, { error: problemMessage('number_wrong') })

/** Milliseconds since 1970; written as a date, which begins in UTC, or as a time with its zone. */
export const instantKind: Kind<number> = {
  entry: 'instant',
  wire: instantMs,
  show: (ms) => ms,
  write: writeInstant,
  written: codecOf(
    z.string({ error: problemMessage('instant_wrong') }),
    z.number(),
    'instant_wrong',
    {
      read: readInstant,
      write: writeInstant,
    },
  ),
}

function readInstant(text: string): number | undefined {
  const ms = instantPattern.test(text) ? Date.parse(text) : Number.NaN
  // NaN also fails this comparison.
  return ms >= 0 && ms <= instantMost ? ms : undefined
}

/** A former version accepted later instants. */
function writeInstant(ms: number): string {
  return new Date(Math.min(ms, dateMost)).toISOString()
}

/** An address or network, in the spelling of the person who entered it. */
export const addressKind: Kind<string> = {
  ...textKind('address_wrong', {
    max: 64,
    described: describedAddress,
    isGood: (text) => parseAddressRange(text) !== undefined,
  }),
  placeholder: 'RANGE',
}

/** The address of one computer. */
export const singleAddressKind: Kind<string> = textKind('single_address_wrong', {
  max: 64,
  described: describedSingleAddress,
  isGood: (text) => !text.includes('/') && parseAddressRange(text) !== undefined,
})

export const addressesKind = listOf(addressKind, { max: addressesMax, many: 'list_long' })
export const groupsKind = listOf(idKind, {
  min: 1,
  max: groupsMax,
  none: 'groups_none',
  many: 'groups_many',
})
/** A list of account ids. */
export const accountsKind = listOf(idKind, { max: accountsMax, many: 'accounts_many' })
export const modelsKind = listOf(idKind, { max: modelsMax, many: 'models_many' })

export const urlCharactersMax = 2_048
export const webPattern = /^https?:\/\//

export const urlKind = textKind('url_wrong', {
  pattern: webPattern,
  described: describedUrl,
  max: urlCharactersMax,
  isGood: isBaseUrl,
})

/** A URL without secrets, to which paths can be appended. */
export function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password: secret, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username + secret + search + hash === ''
}

/** A URL with user and password, if the proxy requires them. */
export const proxyKind = textKind('proxy_wrong', {
  pattern: webPattern,
  described: describedProxy,
  max: urlCharactersMax,
  isGood: (text) => {
    if (!URL.canParse(text)) return false
    const { pathname, search, hash } = new URL(text)
    return pathname === '/' && search + hash === ''
  },
})

export const chosenSecretPattern = new RegExp(
  `^[\\x21-\\x7e]{${keyValueCharactersMin},${keyValueCharactersMax}}$`,
)
/** A secret that a person supplies: printable, no spaces, long enough. */
export const chosenSecretKind = textKind('key_value_wrong', {
  pattern: chosenSecretPattern,
  max: keyValueCharactersMax,
})

export const credentialKind = textKind('credential_wrong', {
  pattern: /^[\x21-\x7e]+$/,
  max: 4_096,
})
