import { z } from 'zod'
import { exportFormats } from '../../core/text/export-format.ts'
import { counted } from '../../fields/kind.ts'
import { amountPattern, idKind, plainTextKind, withoutZero } from '../../fields/kinds.ts'
import { outsideSchema, problemMessage } from '../../fields/problems.ts'
import { consoleProblemMessage } from './refusal-texts.ts'

/* Parts of bodies and queries that no managed resource has. Each problem has a code. */

/** A required text that is not empty. */
export function text(charactersMax: number) {
  return plainTextKind(charactersMax).wire
}

export const id = idKind.wire

export function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  return z.enum(choices, { error: problemMessage('word_wrong', { words: choices }) })
}

export const flag = z.boolean({ error: problemMessage('flag_wrong') })

export const exportFormat = oneOf(exportFormats)

export function body<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: problemMessage('object_wrong') })
}

const parameterCharactersMax = 256
const parameterError = consoleProblemMessage('parameter_long', { max: parameterCharactersMax })

/** A parameter as sent. It is never empty: an empty parameter counts as absent. */
export const parameter = counted(z.string(), {
  min: 1,
  max: parameterCharactersMax,
  short: parameterError,
  long: parameterError,
}).regex(withoutZero, { error: parameterError })

/** Part of a name. */
export const search = parameter.transform((given) => given.trim())

/** A whole number, such as a position in a list. */
export const digits = z
  .string()
  .regex(/^[0-9]{1,15}$/, { error: problemMessage('number_wrong') })
  .transform(Number)
  .meta({ described: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 } })

/** Milliseconds since 1970. */
export const moment = z
  .string()
  .regex(/^[0-9]{1,14}$/, { error: consoleProblemMessage('time_wrong') })
  .transform(Number)
  .meta({ described: { type: 'integer', minimum: 0, maximum: 99_999_999_999_999 } })

const dayPattern =
  /^[0-9]{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31|02-29)$/

/** A UTC day such as 2026-11-01, parsed to its first millisecond. */
export const day = z
  .string()
  .regex(dayPattern, { error: consoleProblemMessage('day_wrong') })
  // The pattern does not know leap years.
  .refine((given) => !Number.isNaN(Date.parse(given)), {
    error: consoleProblemMessage('day_wrong'),
    params: outsideSchema,
  })
  .transform((given) => Date.parse(given))

export const nano = z
  .string()
  .regex(amountPattern, { error: problemMessage('nano_wrong') })
  .transform(BigInt)

export const flagParameter = z
  .enum(['true', 'false'], { error: problemMessage('flag_wrong') })
  .transform((given) => given === 'true')

export function shaped(shape: RegExp, error: string) {
  return z.string().regex(shape, { error })
}

/** Parameters with these names only; all are optional. */
export function query<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).partial()
}
