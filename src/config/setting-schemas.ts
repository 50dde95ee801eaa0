import { z } from 'zod'
import { type AddressRange, parseAddressRange } from '../core/address-range.ts'
import { type DemoMode, demoModes, type Listen, type LogLevel, logLevels } from './config.ts'
import { readListen } from './read-listen.ts'
import { readSize } from './read-size.ts'

/** A schema for what `read` understands; `must` reads on from the setting's name. */
function readable<Value>(
  must: string,
  read: (text: string) => Value | undefined,
): z.ZodType<Value> {
  return z.union([z.string(), z.number()], { error: must }).transform((input, context) => {
    const value = read(String(input))
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: must })
    return z.NEVER
  })
}

function matching(pattern: RegExp, must: string): z.ZodType<string> {
  return readable(must, (text) => (pattern.test(text) ? text : undefined))
}

function oneOf<Word extends string>(words: readonly [Word, ...Word[]]): z.ZodType<Word> {
  return readable(`must be one of ${words.join(', ')}`, (text) =>
    words.find((word) => word === text),
  )
}

function numberBetween(min: number, max: number, must: string): z.ZodType<number> {
  return readable(must, (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    return value >= min && value <= max ? value : undefined
  })
}

/** A list in the file, text with commas elsewhere; `isNot` reads on from an item that `read` does not understand. */
function listOf<Item>(
  must: string,
  isNot: string,
  read: (text: string) => Item | undefined,
): z.ZodType<Item[]> {
  return z
    .preprocess(
      (input) => (typeof input === 'string' ? input.split(',').map((part) => part.trim()) : input),
      z.array(z.string(), { error: must }),
    )
    .transform((texts, context) =>
      texts
        .filter((text) => text !== '')
        .flatMap((text) => {
          const item = read(text)
          if (item !== undefined) return [item]
          context.addIssue({ code: 'custom', message: `holds "${text}", ${isNot}` })
          return []
        }),
    )
}

const listenMust =
  'must be host:port such as 127.0.0.1:8080, [::1]:8080, or :8080 for every interface'
export const listenSchema: z.ZodType<Listen> = readable(listenMust, readListen)

export const databaseSchema = readable(
  'must be sqlite://path/to/file.db or postgres://user:password@host:port/name',
  (text) => (/^sqlite:\/\/[^?#]+$/.test(text) || isPostgresUrl(text) ? text : undefined),
)

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)
}

export const folderSchema = matching(/\S/, 'must be the path of a folder')

export const brandSchema = matching(
  /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
  'must be 1 to 32 characters of a-z, 0-9 and inner dashes',
)

/** Pages inside programs have schemes of their own: app://obsidian.md, chrome-extension://… */
const originPattern = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+$/i
const noAddress = 'which is no address or network such as 10.0.0.0/8 or ::1.'
const proxiesMust =
  'must be a list of addresses or networks such as 10.0.0.0/8 or ::1, separated by commas outside the file'
export const trustedProxiesSchema: z.ZodType<AddressRange[]> = listOf(
  proxiesMust,
  noAddress,
  parseAddressRange,
)

export const webOriginsSchema: z.ZodType<string[]> = listOf(
  'must be a list of origins such as https://chat.example.com, or *, separated by commas outside the file',
  'which is neither * nor an origin such as https://chat.example.com, without a path.',
  (text) => (text === '*' || originPattern.test(text) ? text.toLowerCase() : undefined),
)

export const secretSchema = readable('must have at least 32 characters', (text) =>
  text.length >= 32 ? text : undefined,
)

export const replicaSchema = matching(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  'must be 1 to 64 letters, digits, dots, dashes and underscores',
)

export const logLevelSchema: z.ZodType<LogLevel> = oneOf(logLevels)
export const demoSchema: z.ZodType<DemoMode> = oneOf(demoModes)

const bodyBytesMin = 1024
const bodyBytesMost = 2 ** 30
export const bodyBytesMaxSchema = readable(
  'must be a size between 1KiB and 1GiB such as 32MiB, or a number of bytes',
  (text) => {
    const bytes = readSize(text)
    return bytes !== undefined && bytes >= bodyBytesMin && bytes <= bodyBytesMost
      ? bytes
      : undefined
  },
)

const mediaBytesMin = 1024 * 1024
const mediaBytesMost = 2 ** 36
export const mediaBytesMaxSchema = readable(
  'must be a size between 1MiB and 64GiB such as 256MiB, or a number of bytes',
  (text) => {
    const bytes = readSize(text)
    return bytes !== undefined && bytes >= mediaBytesMin && bytes <= mediaBytesMost
      ? bytes
      : undefined
  },
)

const drainSecondsMost = 3600
export const drainSecondsSchema = numberBetween(
  0,
  drainSecondsMost,
  'must be a number of seconds between 0 and 3600',
)

const lameDuckSecondsMost = 600
export const lameDuckSecondsSchema = numberBetween(
  0,
  lameDuckSecondsMost,
  `must be a number of seconds between 0 and ${lameDuckSecondsMost}`,
)

const responseRetentionDaysMost = 3650
export const responseRetentionDaysSchema = numberBetween(
  0,
  responseRetentionDaysMost,
  `must be a number of days between 0 and ${responseRetentionDaysMost}`,
)

const usageRetentionDaysMost = 36_500
export const usageRetentionDaysSchema = numberBetween(
  0,
  usageRetentionDaysMost,
  `must be a number of days between 0 and ${usageRetentionDaysMost}`,
)

export const issuerSchema = readable(
  'must be an https:// address, or http:// on this machine',
  (text) => (isIssuer(text) ? text : undefined),
)

export const publicUrlSchema = readable(
  'must be an address such as https://models.example.com, without a query or fragment',
  (text) => (isBaseUrl(text) ? text.replace(/\/+$/, '') : undefined),
)

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, search, hash, username, password } = new URL(text)
  const isHttp = protocol === 'https:' || protocol === 'http:'
  return isHttp && `${search}${hash}${username}${password}` === ''
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLocal)
}

export const lineSchema = matching(/^[^\p{Cc}]{1,500}$/u, 'must be text on one line')

export const metricsTokenSchema = matching(
  /^[\x21-\x7e]{16,500}$/,
  'must have at least 16 characters, without spaces',
)

const bodiesInFlightBytesMin = 1024 * 1024
export const bodiesInFlightBytesMaxSchema = readable(
  'must be a size of at least 1MiB such as 256MiB',
  (text) => {
    const bytes = readSize(text)
    return bytes !== undefined && bytes >= bodiesInFlightBytesMin ? bytes : undefined
  },
)

const connectionsMost = 1_000_000
export const connectionsPerAddressMaxSchema: z.ZodType<number | 'auto'> = readable(
  `must be auto or a whole number between 0 and ${connectionsMost}`,
  (text) => (text.trim() === 'auto' ? 'auto' : readWhole(text, 0)),
)

export const connectionsMaxSchema: z.ZodType<number> = readable(
  `must be a whole number between 16 and ${connectionsMost}`,
  (text) => readWhole(text, 16),
)

function readWhole(text: string, min: number): number | undefined {
  const value = /^\d{1,7}$/.test(text.trim()) ? Number(text) : Number.NaN
  return value >= min && value <= connectionsMost ? value : undefined
}

export const privateMediaSchema = oneOf(['on', 'off'])

export const upstreamsForMembersSchema = oneOf(['on', 'off'])

export const durabilitySchema = oneOf(['journal', 'fsync', 'database'])

const journalBytesMin = 16 * 1024 * 1024
export const journalBytesMaxSchema = readable(
  'must be a size of at least 16MiB such as 1GiB',
  (text) => {
    const bytes = readSize(text)
    return bytes !== undefined && bytes >= journalBytesMin ? bytes : undefined
  },
)
