import { z } from 'zod'
import { counted, isPlain } from '../../fields/kind.ts'
import { idKind, plainTextKind } from '../../fields/kinds.ts'
import { says } from '../../fields/problems.ts'
import { saysHere } from '../refusal-words.ts'
import { nanoProblem } from '../rules.ts'
import { exportFormats } from './choices.ts'

/* What bodies and queries are made of that no managed thing has. What is wrong with one is said by a code. */

/** A text that must be there and is not empty. */
export function text(charactersMax: number) {
  return plainTextKind(charactersMax).wire
}

export const id = idKind.wire

export function word<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, { error: says('word_wrong', { words: words.join(', ') }) })
}

export const flag = z.boolean({ error: says('flag_wrong') })

export const exportFormat = word(exportFormats)

export function body<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: says('object_wrong') })
}

const parameterCharactersMax = 256
const parameterError = saysHere('parameter_long', { max: parameterCharactersMax })

/** A parameter as it is. None is ever empty: an empty one counts as absent. */
export const parameter = counted(z.string(), {
  max: parameterCharactersMax,
  long: parameterError,
}).refine(isPlain, { error: parameterError })

/** Part of a name. */
export const search = parameter.transform((given) => given.trim())

/** A whole number, such as the place in a list. */
export const digits = parameter
  .regex(/^\d{1,15}$/, { error: says('number_wrong') })
  .transform(Number)

/** Milliseconds since 1970. */
export const moment = parameter
  .regex(/^\d{1,14}$/, { error: saysHere('time_wrong') })
  .transform(Number)

/** A day in UTC, such as 2026-11-01; read as the moment it begins. */
export const day = parameter
  .refine((given) => !Number.isNaN(dayMs(given)), { error: saysHere('day_wrong') })
  .transform(dayMs)

function dayMs(given: string): number {
  return /^\d{4}-\d\d-\d\d$/.test(given) ? Date.parse(given) : Number.NaN
}

export const nano = parameter
  .refine((given) => nanoProblem(given) === undefined, { error: saysHere('nano_wrong') })
  .transform(BigInt)

export const flagParameter = z
  .enum(['true', 'false'], { error: says('flag_wrong') })
  .transform((given) => given === 'true')

export function shaped(shape: RegExp, error: string) {
  return parameter.regex(shape, { error })
}

/** Parameters that must each be one of these; all may be left out. */
export function query<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).partial()
}
