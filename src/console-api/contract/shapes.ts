import { z } from 'zod'
import type { Definition } from '../../fields/definition.ts'
import { consoleErrorCodes } from './basics.ts'

/* What all parts of the contract are made of. */

/** Whole nano-US-dollars in decimal, because a JSON number cannot hold them exactly. */
export const nanoText = z.string().regex(/^-?\d+$/)
export type NanoText = z.infer<typeof nanoText>

/** Milliseconds since 1970. */
export const timeMs = z.int()
export type TimeMs = z.infer<typeof timeMs>

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }
/** Whatever JSON can say: a schema that says so itself would have to refer to itself. */
export const json = z.unknown() as z.ZodType<Json, Json>

export function list<Of extends z.ZodType>(of: Of) {
  return z.array(of).readonly()
}

/**
 * Lists are paged by key: `next` of one page is asked for as `after` (lists in order of id) or `before` (newest
 * first); null on the last page. A page may be short, or empty, and still have a next one.
 */
export const page = z.strictObject({ next: z.string().nullable() })
export type Page = z.infer<typeof page>

/** The answer to a change that has nothing to tell. */
export const doneAnswer = z.strictObject({ isDone: z.literal(true) })
export type DoneAnswer = z.infer<typeof doneAnswer>

export const errorAnswer = z.strictObject({
  error: z.strictObject({
    code: z.enum(consoleErrorCodes),
    message: z.string(),
    requestId: z.string(),
    /** The member of the body, or the parameter, that is wrong; a form shows the message there. */
    field: z.string().exactOptional(),
    /** What exactly is wrong, by a code of refusal-words.ts or rules.ts, and what fills its words. */
    detail: z.string().exactOptional(),
    values: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
  }),
})
export type ErrorAnswer = z.infer<typeof errorAnswer>

/** The fields of a definition that an answer does not name: they are shown as well, as what they are on the wire. */
export function shownBeside(
  named: z.ZodRawShape,
  { fields }: Definition,
): Readonly<Record<string, z.ZodType>> {
  const others = Object.entries(fields).filter(
    ([name, { isSecret }]) => !Object.hasOwn(named, name) && isSecret !== true,
  )
  return Object.fromEntries(
    others.map(([name, { about }]) => [name, json.meta({ description: about })]),
  )
}
