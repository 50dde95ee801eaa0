import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020'
import type { ProtocolName } from '../../src/core/protocol-name.ts'
import { isObject, parseJson } from '../../src/wire/json.ts'
import { hasSharedRecordings, sharedSchemasFolder } from '../support/exchanges/shared-recordings.ts'
import { digText } from './dig.ts'
import { ownSchemaProblems } from './own-schemas/own-schema-problems.ts'
import type { Recording } from './recordings/recording.ts'
import { tally } from './report/tally.ts'

/** What of a protocol a schema describes. */
export type SchemaKind = 'request' | 'response' | 'event' | 'error'

const files: Readonly<Record<ProtocolName, string>> = {
  'chat-completions': 'openai-chat',
  responses: 'openai-responses',
  messages: 'anthropic',
  'generate-content': 'gemini',
}

/** The roots have the kind's own name everywhere but in one document. */
const chatRoots: Readonly<Record<string, string>> = {
  request: 'chatRequest',
  response: 'chatResponse',
  event: 'chatChunk',
}

/** A validator is used too little to be worth the time that its optimisation takes. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } })
const validators = new Map<string, ValidateFunction>()

/** What may be sent in place of what the schemas of a protocol know. */
type Leave = 'none' | 'beta'

/**
 * What is wrong with a value that was made from this recording. Exchanges of the project are judged by the
 * project's own schemas, the larger recorded set by the vendors' schemas that come with it.
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
 * The same by the vendors' schemas, as recorded traffic has relaxed them; nothing where they are not present.
 * With leave for `beta`, Anthropic's beta fields pass: between two that speak messages they do.
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
  // Where two alternatives describe the same thing the documents contradict themselves; one that fits will do.
  const schema = parseJson(readFileSync(path, 'utf8').replaceAll('"oneOf"', '"anyOf"'))
  if (!isObject(schema)) throw new Error(`${file} holds no schema`)
  if (!ajv.getSchema(file)) ajv.addSchema(schema, file)
  const roots = schema['x-roots']
  const root = digText(roots, kind) || digText(roots, chatRoots[kind] ?? '')
  const validate = ajv.getSchema(`${file}#/$defs/${root}`)
  if (!validate) throw new Error(`${file} has no schema of a ${kind}`)
  validators.set(name, validate)
  return validate
}

/** The deepest complaints: those above them only say that no alternative fits. */
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
