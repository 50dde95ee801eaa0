import { z } from 'zod'
import { type AddressRange, parseAddressRange } from '../core/access/address-range.ts'
import { portMax } from '../core/network/port.ts'
import { splitPostgresUrl } from '../core/network/postgres-url.ts'
import { sqlitePathOf } from '../core/network/sqlite-url.ts'
import { hasAtLeast } from '../core/text/characters.ts'
import { isBaseUrl } from '../fields/kinds.ts'
import { type Listen, readListen } from './read-listen.ts'
import { readSize } from './read-size.ts'
import type { SettingKind } from './setting.ts'
import { wholeSentence } from './whole-sentence.ts'

/* The types of settings. Each rule is defined only here. */

/** A value that `read` understands. `must` continues the sentence after the setting's name. */
function readable<Value>(
  placeholder: string,
  must: string,
  read: (text: string) => Value | undefined,
): SettingKind<Value> {
  const written = z.union([z.string(), z.number()], { error: must }).transform((input, context) => {
    const value = read(String(input))
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: must })
    return z.NEVER
  })
  return { placeholder, written }
}

export function matching(placeholder: string, pattern: RegExp, must: string): SettingKind<string> {
  return readable(placeholder, must, (text) => (pattern.test(text) ? text : undefined))
}

export function enumSetting<const Choice extends string>(
  placeholder: string,
  choices: readonly Choice[],
): SettingKind<Choice> {
  const kind = readable(placeholder, `must be one of ${choices.join(', ')}`, (text) =>
    choices.find((choice) => choice === text),
  )
  return { ...kind, documented: choices }
}

const switchValues = ['on', 'off'] as const
const onOff = enumSetting('MODE', switchValues)
export const switchSetting: SettingKind<boolean> = {
  ...onOff,
  written: onOff.written.transform((word) => word === 'on'),
}

/** A number of the unit, from 0 on, as milliseconds. */
function spanSetting(unit: string, unitMs: number, most: number): SettingKind<number> {
  const must = `must be a number of ${unit} between 0 and ${most}`
  const kind = readable(unit.toUpperCase(), must, (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    return value >= 0 && value <= most ? Math.round(value * unitMs) : undefined
  })
  return { ...kind, documented: [String(most)] }
}

export function secondsSetting(most: number): SettingKind<number> {
  return spanSetting('seconds', 1000, most)
}

export function daysSetting(most: number): SettingKind<number> {
  return spanSetting('days', 24 * 60 * 60 * 1000, most)
}

/** Bytes; `such` is an example. */
export function sizeSetting({
  least,
  most,
  such,
}: {
  least: string
  most?: string
  such: string
}): SettingKind<number> {
  const bounds = most === undefined ? `of at least ${least}` : `between ${least} and ${most}`
  const min = readSize(least) ?? 0
  const max = (most === undefined ? undefined : readSize(most)) ?? Number.MAX_SAFE_INTEGER
  const must = `must be a size ${bounds} such as ${such}, or a number of bytes`
  const kind = readable('SIZE', must, (text) => {
    const bytes = readSize(text)
    return bytes !== undefined && bytes >= min && bytes <= max ? bytes : undefined
  })
  return { ...kind, documented: most === undefined ? [least] : [least, most] }
}

const countMax = 1_000_000

function readCount(text: string, min: number): number | undefined {
  const value = /^\d{1,7}$/.test(text.trim()) ? Number(text) : Number.NaN
  return value >= min && value <= countMax ? value : undefined
}

export function countSetting(min: number): SettingKind<number> {
  const must = `must be a whole number between ${min} and ${countMax}`
  return {
    ...readable('NUMBER', must, (text) => readCount(text, min)),
    documented: [String(min), String(countMax)],
  }
}

/** A number, or `auto` for the gateway's own choice. */
export const countOrAutoSetting: SettingKind<number | 'auto'> = {
  ...readable('NUMBER', `must be auto or a whole number between 0 and ${countMax}`, (text) =>
    text.trim() === 'auto' ? ('auto' as const) : readCount(text, 0),
  ),
  documented: ['auto', '0', String(countMax)],
}

export const workersMax = 64
export const workersSetting: SettingKind<number | 'auto'> = {
  ...readable('NUMBER', `must be auto or a whole number between 1 and ${workersMax}`, (text) => {
    if (text.trim() === 'auto') return 'auto' as const
    const value = readCount(text, 1)
    return value !== undefined && value <= workersMax ? value : undefined
  }),
  documented: ['auto', '1', String(workersMax)],
}

/**
 * A list in the file, text with commas elsewhere. `isNot` continues the sentence after an item that `read` does not
 * understand.
 */
export function listSetting<Item>(
  must: string,
  isNot: string,
  read: (text: string) => Item | undefined,
  separator: RegExp = /,/,
): SettingKind<readonly Item[]> {
  const written = z
    .preprocess(
      (input) =>
        typeof input === 'string' ? input.split(separator).map((part) => part.trim()) : input,
      z.array(z.string(), { error: must }),
    )
    .transform((texts, context) =>
      texts
        .filter((text) => text !== '')
        .flatMap((text) => {
          const item = read(text)
          if (item !== undefined) return [item]
          context.addIssue(wholeSentence(`holds "${text}", ${isNot}.`))
          return []
        }),
    )
  return { placeholder: 'LIST', written }
}

const networks = 'such as 10.0.0.0/8 or ::1'
export const networksSetting: SettingKind<readonly AddressRange[]> = listSetting(
  `must be a list of addresses or networks ${networks}, separated by commas outside the file`,
  `which is not an address or network ${networks}`,
  parseAddressRange,
)

/** Pages inside applications have their own schemes: app://obsidian.md, chrome-extension://… */
const originPattern = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+$/i
const origin = 'such as https://chat.example.com'
/** Origins in lower case, or `*`. */
export const originsSetting: SettingKind<readonly string[]> = listSetting(
  `must be a list of origins ${origin}, or *, separated by commas outside the file`,
  `which is neither * nor an origin ${origin}, without a path`,
  (text) => (text === '*' || originPattern.test(text) ? text.toLowerCase() : undefined),
)

export const listenSetting: SettingKind<Listen> = readable(
  'HOST:PORT',
  'must be host:port such as 127.0.0.1:8080, [::1]:8080, or :8080 for every interface',
  readListen,
)

export const databaseSetting = readable(
  'URL',
  'must be sqlite://path/to/file.db or postgres://user:password@host:port/name; several hosts are separated by commas',
  (text) => {
    const path = sqlitePathOf(text)
    const isGood = path === undefined ? splitPostgresUrl(text) !== undefined : !/[?#]/.test(path)
    return isGood ? text : undefined
  },
)

export const readDatabaseSetting = readable(
  'URL',
  'must be postgres://user:password@host:port/name, with one host',
  (text) => (splitPostgresUrl(text)?.length === 1 ? text : undefined),
)

/** The server that counts rate limits for all replicas. */
export const limitsSetting = readable(
  'URL',
  'must be redis://user:password@host:port/number, or rediss:// for TLS',
  (text) => (isRedisUrl(text) ? text : undefined),
)

function isRedisUrl(text: string): boolean {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return false
  const { hostname, pathname, search, hash } = new URL(text)
  return hostname !== '' && /^(?:\/\d{0,5})?$/.test(pathname) && search === '' && hash === ''
}

export const folderSetting = matching('FOLDER', /\S/, 'must be the path of a folder')

/** `on`, `off`, or a path. A word without a slash is a mistake and not the name of a file. */
export const accessLogSetting: SettingKind<string> = {
  ...matching(
    'FILE',
    /^(?:on|off|[^\p{Cc}]*\/[^\p{Cc}/]+)$/u,
    'must be on, off, or the path of a file such as /var/log/tollgate/access.log or ./access.log',
  ),
  documented: switchValues,
}

export const brandSetting = matching(
  'WORD',
  /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
  'must be 1 to 32 characters of a-z, 0-9 and inner dashes',
)

export const replicaSetting = matching(
  'NAME',
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  'must be 1 to 64 letters, digits, dots, dashes and underscores',
)

export const secretCharactersMin = 32
export const secretSetting: SettingKind<string> = {
  ...readable('TEXT', `must have at least ${secretCharactersMin} characters`, (text) =>
    hasAtLeast(text, secretCharactersMin) ? text : undefined,
  ),
  documented: [String(secretCharactersMin)],
}

export const tokenCharactersMin = 16
export const tokenSetting: SettingKind<string> = {
  ...matching(
    'TEXT',
    new RegExp(`^[\\x21-\\x7e]{${tokenCharactersMin},500}$`),
    `must have at least ${tokenCharactersMin} characters, without spaces`,
  ),
  documented: [String(tokenCharactersMin)],
}

export const linePattern = /^[^\p{Cc}]{1,500}$/u
export const lineSetting = matching('TEXT', linePattern, 'must be text on one line')

/** A host name or an address, without a port. */
export const hostSetting = matching(
  'HOST',
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/,
  'must be a host name such as smtp.example.com, without a port',
)

export const portSetting: SettingKind<number> = {
  ...readable('PORT', `must be a port between 1 and ${portMax}`, (text) => {
    const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0
    return port >= 1 && port <= portMax ? port : undefined
  }),
  documented: ['1', String(portMax)],
}

const mailAddress = String.raw`[^\s@<>"\p{Cc}]+@[^\s@<>"\p{Cc}]+`
export const senderSetting = matching(
  'ADDRESS',
  new RegExp(`^(?:${mailAddress}|[^<>"@\\p{Cc}]{1,200} <${mailAddress}>)$`, 'u'),
  'must be an email address such as gateway@example.com, or Gateway <gateway@example.com>',
)

export const issuerSetting = readable(
  'URL',
  'must be an https:// URL, or http:// on this machine',
  (text) => (isIssuer(text) ? text : undefined),
)

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLocal)
}

/** Without a trailing slash. The paths of OTLP are appended. */
export const collectorSetting = readable(
  'URL',
  'must be a URL such as http://127.0.0.1:4318, without a user, query or fragment',
  (text) => (isBaseUrl(text) ? text.replace(/\/+$/, '') : undefined),
)

/** A name as HTTP allows it, and a value without control characters. */
const headerPattern = /^\s*([\w!#$%&'*+.^`|~-]{1,100})\s*=\s*([\x20-\x7e]{1,4000}?)\s*$/
/** Headers that the connection itself needs. */
const reservedHeaders = /^(?:content-|transfer-|host$|connection$|upgrade$|te$|trailer$)/i

/** Headers by their names; the form is that of OpenTelemetry's own variables. */
export const headersSetting: SettingKind<Readonly<Record<string, string>>> = readable(
  'LIST',
  'must be name=value pairs separated by commas, such as authorization=Bearer TOKEN',
  (text) => {
    const headers: Record<string, string> = {}
    for (const pair of text.split(',')) {
      const [, name, value] = headerPattern.exec(pair) ?? []
      if (name === undefined || value === undefined || reservedHeaders.test(name)) return undefined
      headers[name.toLowerCase()] = value
    }
    return headers
  },
)

const signals = ['traces', 'metrics', 'logs'] as const
export const signalsSetting: SettingKind<readonly (typeof signals)[number][]> = {
  ...listSetting(
    'must be a list of traces, metrics and logs, separated by commas outside the file',
    'which is none of traces, metrics and logs',
    (text) => signals.find((signal) => signal === text),
  ),
  documented: signals,
}

/** A number from 0 to 1. */
export const shareSetting: SettingKind<number> = {
  ...readable('SHARE', 'must be a number between 0 and 1', (text) => {
    const value = /^\d*\.?\d+$/.test(text.trim()) ? Number(text) : Number.NaN
    return value >= 0 && value <= 1 ? value : undefined
  }),
  documented: ['0', '1'],
}

export const upstreamsSetting: SettingKind<readonly string[]> = listSetting(
  'must be a list of ids of upstreams, or *, separated by commas outside the file',
  'which is neither * nor an id of an upstream',
  (text) => (/^(?:\*|[^\s,*]{1,100})$/.test(text) ? text : undefined),
)

/** Without a trailing slash. */
export const publicUrlSetting = readable(
  'URL',
  'must be a URL such as https://models.example.com, without a query or fragment',
  (text) => (isBaseUrl(text) ? text.replace(/\/+$/, '') : undefined),
)
