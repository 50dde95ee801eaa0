import { z } from 'zod'
import { credentialDefinition, type GivenCredential } from '../catalog/definition/upstream.ts'
import { definedEntry, secretOf } from './defined-entry.ts'
import type { SecretReader } from './secret-reader.ts'

/** The default name of a credential. */
export const firstName = 'first'

const { name, value } = credentialDefinition.fields

export function credentialField(secrets: SecretReader): z.ZodType<string> {
  return secretOf(value.kind, secrets)
}

/**
 * Each credential has its own name: the one in the file, otherwise the name of its variable, otherwise its position in
 * the list.
 */
export function credentialsField(secrets: SecretReader) {
  const entry = definedEntry(
    credentialDefinition,
    { name: name.kind.written.optional(), value: credentialField(secrets).optional() },
    secrets,
  )
  const item = z.preprocess(
    (input) => (typeof input === 'string' ? { name: variableOf(input), value: input } : input),
    entry,
  )
  return z.array(item, { error: 'must be a list of credentials' }).transform((list) =>
    list.map(
      (each, index): GivenCredential => ({
        ...each,
        name: each.name ?? (index === 0 ? firstName : `${index + 1}`),
      }),
    ),
  )
}

function variableOf(text: string): string | undefined {
  return /^env:(.+)$/.exec(text)?.[1]
}
