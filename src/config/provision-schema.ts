import { z } from 'zod'
import { upstreamProtocols } from '../core/protocol-name.ts'
import {
  addressField,
  countField,
  dollarsField,
  emailField,
  entry,
  factorField,
  flagField,
  idField,
  instantField,
  listOf,
  nameField,
  urlField,
} from './entry-fields.ts'
import { nearestName } from './nearest-name.ts'
import type { SecretReader } from './secret-reader.ts'

const passwordLengthMin = 8

/** The fields whose values are never repeated in a message. */
export const secretFields: readonly string[] = ['credential', 'password', 'value', 'secret']

const price = entry({
  input: dollarsField,
  output: dollarsField,
  cacheRead: dollarsField.optional(),
  cacheWrite5m: dollarsField.optional(),
  cacheWrite1h: dollarsField.optional(),
  request: dollarsField.optional(),
})

const model = entry({
  id: idField,
  displayName: nameField.optional(),
  ownedBy: nameField.optional(),
  contextTokens: countField(1).optional(),
  maxOutputTokens: countField(1).optional(),
  price: price.optional(),
})

const account = entry({ id: idField, name: nameField.optional(), credit: dollarsField.optional() })

/** A model by its id alone, or with the upstream's own name for it. */
const routedModel = z.preprocess(
  (input) => (typeof input === 'string' ? { id: input } : input),
  entry({ id: idField, as: nameField.optional() }),
)

/** A word out of a list; a slip of the finger is told the word that was meant. */
function wordField<Word extends string>(words: readonly Word[]) {
  return z.string({ error: `must be one of ${words.join(', ')}` }).transform((text, context) => {
    const word = words.find((each) => each === text)
    if (word !== undefined) return word
    const nearest = nearestName(text, words)
    const hint =
      nearest === undefined ? `use one of ${words.join(', ')}.` : `did you mean "${nearest}"?`
    context.addIssue({ code: 'custom', message: `"${text}" is not known; ${hint}` })
    return z.NEVER
  })
}

const group = entry({
  id: idField,
  factor: factorField.optional(),
  unsupported: wordField(['drop', 'reject']).optional(),
})

/** `protocol` is checked against the vendor later; here only against all there are. */
const protocolField = wordField(upstreamProtocols)

function secretField(secrets: SecretReader, must: string, isGood: (value: string) => boolean) {
  return z
    .string({ error: `${must}; put it in quotes if it is text` })
    .transform((text, context) => {
      const reading = secrets.read(text)
      if ('value' in reading && isGood(reading.value)) return reading.value
      context.addIssue({ code: 'custom', message: 'wrong' in reading ? reading.wrong : must })
      return z.NEVER
    })
}

export function provisionSchema(vendorNames: readonly string[], secrets: SecretReader) {
  const upstream = entry({
    id: idField,
    vendor: wordField(vendorNames),
    protocol: protocolField.optional(),
    baseUrl: urlField.optional(),
    credential: secretField(
      secrets,
      'must be printable text without spaces',
      isHeaderText,
    ).optional(),
    groups: listOf(idField),
    models: z.array(routedModel, { error: 'must be a list of models' }),
    priority: countField(0).optional(),
    weight: countField(1).optional(),
  })
  const user = entry({
    email: emailField,
    password: secretField(
      secrets,
      `must be text of at least ${passwordLengthMin} characters`,
      (value) => value.length >= passwordLengthMin,
    ).optional(),
    role: wordField(['admin', 'member']).optional(),
    accounts: listOf(idField),
  })
  const key = entry({
    id: idField,
    account: idField,
    name: nameField.optional(),
    value: secretField(
      secrets,
      'must be 20 to 512 printable characters without spaces',
      isKeyValue,
    ).optional(),
    groups: listOf(idField),
    models: z.array(idField, { error: 'must be a list of model ids' }).optional(),
    quota: dollarsField.optional(),
    expires: instantField.optional(),
    addresses: z.array(addressField, { error: 'must be a list of addresses' }).optional(),
    enabled: flagField.optional(),
  })
  return entry({
    groups: listOf(group),
    models: listOf(model),
    upstreams: listOf(upstream),
    accounts: listOf(account),
    users: listOf(user),
    keys: listOf(key),
  })
}

export type WrittenProvision = z.infer<ReturnType<typeof provisionSchema>>

function isHeaderText(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value)
}

function isKeyValue(value: string): boolean {
  return value.length >= 20 && value.length <= 512 && isHeaderText(value)
}
