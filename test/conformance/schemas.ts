import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020'
import type { ProtocolName } from '../../src/core/protocol-name.ts'
import { isObject, parseJson } from '../../src/wire/json.ts'
import { digText } from './dig.ts'
import { schemasFolder } from './recordings/shared-folder.ts'
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

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const validators = new Map<string, ValidateFunction>()

/** What is wrong with a value by the vendor's schema, as it was relaxed by recorded traffic. */
export function schemaProblems(
  protocol: ProtocolName,
  kind: SchemaKind,
  value: unknown,
): readonly string[] {
  tally('schema validations')
  const validate = validatorFor(files[protocol], kind)
  return validate(value) ? [] : describe(validate.errors ?? [])
}

/** The same with Anthropic's beta fields allowed: between two that speak messages, they pass. */
export function betaProblems(kind: SchemaKind, value: unknown): readonly string[] {
  tally('schema validations')
  const validate = validatorFor('anthropic-beta', kind)
  return validate(value) ? [] : describe(validate.errors ?? [])
}

function validatorFor(file: string, kind: SchemaKind): ValidateFunction {
  const name = `${file} ${kind}`
  const known = validators.get(name)
  if (known) return known
  const path = join(schemasFolder, `${file}.wire.schema.json`)
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
