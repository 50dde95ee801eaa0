import { z } from 'zod'
import {
  type Definition,
  fillSame,
  type GivenOf,
  isNeeded,
  writtenName,
} from '../fields/definition.ts'
import type { Kind } from '../fields/kind.ts'
import { entry } from './entry-fields.ts'
import type { SecretReader } from './secret-reader.ts'
import { wholeSentence } from './whole-sentence.ts'

/**
 * Reads an entry of the file by the definition of its object. `more` contains fields whose form in the file differs.
 */
export function definedEntry<D extends Definition, More extends Record<string, z.ZodType>>(
  definition: D,
  more: More,
  secrets: SecretReader,
) {
  const shape: Record<string, z.ZodType> = {}
  const names = new Map<string, string>()
  for (const [name, field] of Object.entries(definition.fields)) {
    const written = writtenName(name, field)
    if (written === null) continue
    names.set(written, name)
    const schema = field.isSecret ? secretOf(field.kind, secrets) : field.kind.written
    shape[written] = isNeeded(field) ? schema : absentOr(field.kind, schema)
  }
  const renamed = (values: Readonly<Record<string, unknown>>) =>
    fillSame(
      definition.fields,
      Object.fromEntries(
        Object.entries(values).map(([written, value]) => [names.get(written) ?? written, value]),
      ),
    )
  return entry({ ...shape, ...more }).transform(renamed) as unknown as z.ZodType<
    Omit<GivenOf<D>, keyof More> & z.infer<z.ZodObject<More>>
  >
}

/** An empty value in the file, such as `accounts:` with nothing after it, counts as an absent list. */
function absentOr({ entry }: Kind<unknown>, schema: z.ZodType): z.ZodType {
  if (entry !== 'list') return schema.optional()
  return z.preprocess((given) => given ?? undefined, schema.optional())
}

/** A secret, written out or as `env:NAME`. */
export function secretOf<Value>(kind: Kind<Value>, secrets: SecretReader): z.ZodType<Value> {
  return z.unknown().transform((given, context) => {
    const reading = typeof given === 'string' ? secrets.read(given) : { value: given }
    if ('wrong' in reading) {
      context.addIssue(wholeSentence(`${reading.wrong}.`))
      return z.NEVER
    }
    const read = kind.written.safeParse(reading.value)
    if (read.success) return read.data
    for (const { message } of read.error.issues) context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}
