import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { timeoutsByDefault } from '../core/upstream-timeouts.ts'
import { secretField } from './credential-field.ts'
import { countField, entry, idField } from './entry-fields.ts'
import type { SecretReader } from './secret-reader.ts'

/** The word `none` takes an option back to its default; leaving it out leaves it as it is. */
function orNone<Field extends z.ZodType>(field: Field) {
  return z.preprocess((input) => (input === 'none' ? null : input), field.nullable())
}

/** Longer than a day nobody waits for an answer, and timers cannot. */
const waitMsMost = 24 * 60 * 60_000

function waitField(min: number) {
  const must = `must be a number of milliseconds from ${min} to ${waitMsMost}`
  return z
    .number({ error: must })
    .int({ error: must })
    .min(min, { error: must })
    .max(waitMsMost, { error: must })
}

const waitMsMin = 1
const probeMsMin = 1_000

const timeoutFields = Object.fromEntries(
  Object.keys(timeoutsByDefault).map((name) => [name, waitField(waitMsMin).optional()]),
)
export const timeoutsField = entry(timeoutFields)

export const concurrencyField = orNone(countField(1))

/** `auto`: as the vendor is known to bill. */
export const billsOnAbortField = z.preprocess(
  (input) => (input === 'auto' ? null : input),
  z.boolean({ error: 'must be true, false or auto' }).nullable(),
)

export const probeField = orNone(
  entry({ everyMs: waitField(probeMsMin), model: idField.optional() }),
)

const proxyMust = 'must be http://host:port, with user:password@ before the host if it asks for one'

export function proxyField(secrets: SecretReader) {
  return orNone(secretField(secrets, proxyMust, isProxy))
}

function isProxy(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false
  const { pathname, search, hash } = new URL(text)
  return pathname === '/' && search === '' && hash === ''
}

/** The file is read when the configuration is: what is stored is its text. */
export function caField(readFile: (path: string) => string) {
  const field = z
    .string({ error: 'must be the path of a PEM file' })
    .transform((path, context): string => {
      const why = (message: string) => {
        context.addIssue({ code: 'custom', message })
        return z.NEVER
      }
      let text: string
      try {
        text = readFile(path)
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
        return why(`names the file ${path}, which cannot be read (${code}); correct the path.`)
      }
      const pem = certificatesIn(text)
      return (
        pem ?? why(`names the file ${path}, which holds no PEM certificate; name one that does.`)
      )
    })
  return orNone(field)
}

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** Only the certificates: a private key that stands in the same file is nobody's business. */
function certificatesIn(text: string): string | undefined {
  const found = text.match(certificate) ?? []
  try {
    for (const each of found) new X509Certificate(each)
  } catch {
    return undefined
  }
  return found.length === 0 ? undefined : `${found.join('\n')}\n`
}
