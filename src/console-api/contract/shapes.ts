import { z } from 'zod'
import { shownOf } from '../../fields/kind.ts'
import { instantKind, moneyKind } from '../../fields/kinds.ts'
import { consoleErrorCodes } from './basics.ts'

/* Schemas that all parts of the contract use. */

/** Whole nano-US-dollars as decimal text, because a JSON number cannot hold them exactly. */
export const nanoText = shownOf(moneyKind)
export type NanoText = z.infer<typeof nanoText>

/** Milliseconds since 1970. */
export const timeMs = shownOf(instantKind)
export type TimeMs = z.infer<typeof timeMs>

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }
/** Any JSON value. A precise schema would be recursive. */
export const json = z.unknown() as z.ZodType<Json, Json>

export function list<Of extends z.ZodType>(of: Of) {
  return z.array(of).readonly()
}

/**
 * Lists are paged by key: send `next` of one page as `after` (lists sorted by id) or `before` (newest first); null on
 * the last page. A page may be short or empty and still have a next page.
 */
export const page = z.strictObject({ next: z.string().nullable() })
export type Page = z.infer<typeof page>

/** The response of a change without a result. */
export const doneAnswer = z.strictObject({ isDone: z.literal(true) })
export type DoneAnswer = z.infer<typeof doneAnswer>

export const errorAnswer = z.strictObject({
  error: z.strictObject({
    code: z.enum(consoleErrorCodes),
    message: z.string(),
    requestId: z.string(),
    /** The member of the body or the parameter with the problem; a form shows the message there. */
    field: z.string().exactOptional(),
    /** Code of the exact problem from refusal-texts.ts or rules.ts, and the values of its text. */
    detail: z.string().exactOptional(),
    values: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
  }),
})
export type ErrorAnswer = z.infer<typeof errorAnswer>
