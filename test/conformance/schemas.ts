import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020'
import type { ProtocolName } from '../../src/core/neutral/protocol-name.ts'
import { isObject, parseJson } from '../../src/wire/json.ts'
import { hasSharedRecordings, sharedSchemasFolder } from '../support/exchanges/shared-recordings.ts'
import { digText } from './dig.ts'
import { ownSchemaProblems } from './own-schemas/own-schema-problems.ts'
import type { Recording } from './recordings/recording.ts'
import { tally } from './report/tally.ts'

/** The part of a protocol that a schema describes. */
export type SchemaKind = 'request' | 'response' | 'event' | 'error'

const files: Readonly<Record<ProtocolName, string>> = {
  'chat-completions': 'openai-chat',
  responses: 'openai-responses',
  messages: 'anthropic',
  'generate-content': 'gemini',
}

/** The root definitions are named after the kind, except in one document. */
const chatRoots: Readonly<Record<string, string>> = {
  request: 'chatRequest',
  response: 'chatResponse',
  event: 'chatChunk',
}

/** A validator is used too rarely to repay its optimisation. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } })
const validators = new Map<string, ValidateFunction>()

/** Deviations from the schemas that are allowed. */
type Leave = 'none' | 'beta'

/**
 * The problems of a value that was made from this recording. Exchanges of the project are checked with the project's
 * own schemas, the larger recorded set by the vendors' schemas that come with it.
 */
export function schemaProblems(
  { isOwn }: Recording,
  protocol: ProtocolName,
  kind: SchemaKind,
  value: unknown,
  leave: Leave = 'none',
): readonly string[] {
  tally('schema validations')
  if (isOwn) return ownSchemaProblems(protocol, kind, value)
  return vendorSchemaProblems(protocol, kind, value, leave)
}

/**
 * The same with the vendors' schemas, as relaxed by recorded traffic; empty where they do not exist. With `beta`,
 * Anthropic's beta fields are allowed, which pass between two sides that speak messages.
 */
export function vendorSchemaProblems(
  protocol: ProtocolName,
  kind: SchemaKind,
  value: unknown,
  leave: Leave = 'none',
): readonly string[] {
  if (!hasSharedRecordings()) return []
  const problems = vendorProblems(files[protocol], kind, value)
  const mayBeBeta = problems.length > 0 && leave === 'beta' && protocol === 'messages'
  return mayBeBeta ? vendorProblems('anthropic-beta', kind, value) : problems
}

function vendorProblems(file: string, kind: SchemaKind, value: unknown): readonly string[] {
  const validate = validatorFor(file, kind)
  return validate(value) ? [] : describe(validate.errors ?? [])
}

function validatorFor(file: string, kind: SchemaKind): ValidateFunction {
  const name = `${file} ${kind}`
  const known = validators.get(name)
  if (known) return known
  const path = join(sharedSchemasFolder, `${file}.wire.schema.json`)
  // Where two alternatives match the same value, the documents contradict themselves; one match is enough.
  const schema = parseJson(readFileSync(path, 'utf8').replaceAll('"oneOf"', '"anyOf"'))
  if (!isObject(schema)) throw new Error(`${file} contains no schema`)
  if (!ajv.getSchema(file)) ajv.addSchema(schema, file)
  const roots = schema['x-roots']
  const root = digText(roots, kind) || digText(roots, chatRoots[kind] ?? '')
  const validate = ajv.getSchema(`${file}#/$defs/${root}`)
  if (!validate) throw new Error(`${file} has no schema of a ${kind}`)
  validators.set(name, validate)
  return validate
}

/** The deepest errors: those above them only say that no alternative matches. */
function describe(errors: readonly ErrorObject[]): string[] {
  const depth = (error: ErrorObject) => error.instancePath.split('/').length
  const deepest = Math.max(...errors.map(depth))
  const lines = errors
    .filter((error) => depth(error) === deepest)
    .map(({ instancePath, message, params }) => {
      return `schema ${instancePath || '/'} ${message} ${JSON.stringify(params)}`
    })
  return [...new Set(lines)].slice(0, 4)
}
