import { z } from 'zod'
import { problemMessage } from '../../fields/problems.ts'
import { consoleProblemMessage } from './refusal-texts.ts'

/*
 * Paging of lists. A cursor contains all sort values of the last row of a page: it stays valid when that row is changed
 * or deleted, and concurrent inserts and deletes neither repeat nor skip rows. Every text in the shape of a cursor is a
 * valid position.
 */

type PartKind = 'text' | 'number' | 'either'
type CursorValue = string | number

/** One UTF-16 code unit in hexadecimal. */
const unit = '(?:[0-9a-f]{4})'
const unitsMax = 320
const number = 'n[0-9]{1,16}'
const text = `t${unit}{1,${unitsMax}}`
const shapes: Readonly<Record<PartKind, string>> = {
  text,
  number,
  either: `(?:${number}|${text})`,
}

type ValueOf<Kind> = Kind extends 'text' ? string : Kind extends 'number' ? number : CursorValue
type ValuesOf<Kinds extends readonly PartKind[]> = {
  readonly [Place in keyof Kinds]: ValueOf<Kinds[Place]>
}

/** Schema of a cursor with these parts. */
export function cursor<const Kinds extends readonly PartKind[]>(...kinds: Kinds) {
  const pattern = new RegExp(`^${kinds.map((kind) => shapes[kind]).join('')}$`)
  return z
    .string()
    .regex(pattern, { error: consoleProblemMessage('cursor_wrong') })
    .transform((given) => valuesIn(given) as unknown as ValuesOf<Kinds>)
    .meta({ description: '`next` of the previous page.' })
}

function valuesIn(given: string): readonly CursorValue[] {
  return [...given.matchAll(/([tn])([0-9a-f]+)/g)].map(([, kind, digits = '']) =>
    kind === 'n' ? Number(digits) : textIn(digits),
  )
}

function textIn(digits: string): string {
  const units = digits.match(/.{4}/g) ?? []
  const text = String.fromCharCode(...units.map((each) => Number.parseInt(each, 16)))
  // No cursor that was sent contains a NUL or half a surrogate pair, and databases refuse them.
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}

export function writeCursor(...values: readonly CursorValue[]): string {
  return values
    .map((value) => (typeof value === 'number' ? `n${value}` : `t${hex(value)}`))
    .join('')
}

function hex(value: string): string {
  let digits = ''
  for (let at = 0; at < value.length; at += 1) {
    digits += value.charCodeAt(at).toString(16).padStart(4, '0')
  }
  return digits
}

const requestIdShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The whole id of a request. */
export const requestId = z.string().regex(requestIdShape, { error: problemMessage('id_wrong') })

/** Cursor of a list of requests: the id of the last one on the page. */
export const requestCursor = z
  .string()
  .regex(requestIdShape, { error: consoleProblemMessage('cursor_wrong') })
  .meta({ description: '`next` of the previous page.' })

const limitMax = 500

/** Page size. */
export function limit(assumed: number) {
  return z
    .string()
    .regex(/^(?:[1-9][0-9]?|[1-4][0-9]{2}|500)$/, {
      error: problemMessage('count_wrong', { min: 1, max: limitMax }),
    })
    .transform(Number)
    .meta({
      description: 'Maximum number of rows on a page.',
      described: { type: 'integer', minimum: 1, maximum: limitMax, default: assumed },
    })
}

/** Default page size of each list. */
export const pageRows = {
  keys: 50,
  usage: 50,
  catalogue: 100,
  upstreams: 100,
  routes: 500,
  models: 100,
  groups: 100,
  accounts: 50,
  users: 50,
  audit: 50,
  tokens: 50,
  alerts: 50,
  conditions: 50,
  messages: 50,
  recordings: 50,
} as const
