import { z } from 'zod'
import { entry, nameField } from './entry-fields.ts'
import type { ProvisionCredential } from './provision.ts'
import type { SecretReader } from './secret-reader.ts'

/** The name of a credential that nobody has named. */
export const firstName = 'first'

const must = 'must be printable text without spaces'

/** A secret, written out or as `env:NAME`. */
export function secretField(
  secrets: SecretReader,
  wanted: string,
  isGood: (value: string) => boolean,
): z.ZodType<string> {
  return z
    .string({ error: `${wanted}; put it in quotes if it is text` })
    .transform((text, context) => {
      const reading = secrets.read(text)
      if ('value' in reading && isGood(reading.value)) return reading.value
      context.addIssue({ code: 'custom', message: 'wrong' in reading ? reading.wrong : wanted })
      return z.NEVER
    })
}

export function credentialField(secrets: SecretReader): z.ZodType<string> {
  return secretField(secrets, must, isHeaderText)
}

/**
 * Each with a name of its own: the one that is written, else that of the variable it stands in, else its place in
 * the list.
 */
export function credentialsField(secrets: SecretReader) {
  const item = z.preprocess(
    (input) => (typeof input === 'string' ? { name: variableOf(input), value: input } : input),
    entry({ name: nameField.optional(), value: credentialField(secrets) }),
  )
  return z.array(item, { error: 'must be a list of credentials' }).transform((list) =>
    list.map(
      (each, index): ProvisionCredential => ({
        name: each.name ?? (index === 0 ? firstName : `${index + 1}`),
        value: each.value,
      }),
    ),
  )
}

function variableOf(text: string): string | undefined {
  return /^env:(.+)$/.exec(text)?.[1]
}

function isHeaderText(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value)
}
