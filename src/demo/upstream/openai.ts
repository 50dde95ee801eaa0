import type { JsonObject } from '../../wire/json.ts'
import {
  createdSeconds,
  type DemoFault,
  type DemoToolChoice,
  listedModel,
  type Structure,
} from './demo-protocol.ts'
import { fieldOf, listAt, textAt, textOf } from './json-value.ts'
import { readSchema } from './read-content.ts'

/** The parts that chat-completions and responses share. */

export const openaiModels = {
  object: 'list',
  data: [{ id: listedModel.id, object: 'model', created: createdSeconds, owned_by: 'tollgate' }],
}

/** One protocol nests names under `function`, the other does not. */
export function readToolChoice(choice: unknown): DemoToolChoice {
  if (choice === 'none' || choice === 'required') return { mode: choice }
  const type = textAt(choice, 'type')
  if (type === 'function') return { mode: 'required', names: nameOf(choice) }
  if (type !== 'allowed_tools') return { mode: 'auto' }
  const allowed = fieldOf(choice, 'allowed_tools') ?? choice
  const mode = fieldOf(allowed, 'mode') === 'required' ? 'required' : 'auto'
  return { mode, names: listAt(allowed, 'tools').flatMap(nameOf) }
}

function nameOf(value: unknown): readonly string[] {
  const name = textOf(fieldOf(fieldOf(value, 'function') ?? value, 'name'))
  return name === undefined ? [] : [name]
}

/** One protocol nests the schema under `json_schema`, the other does not. */
export function readFormat(format: unknown, schemaOwner: unknown): Structure {
  const type = fieldOf(format, 'type')
  if (type === 'json_object') return 'json-object'
  return type === 'json_schema' ? readSchema(fieldOf(schemaOwner, 'schema')) : 'text'
}

export function encodeFault({ message, param }: DemoFault): JsonObject {
  return { error: { message, type: 'invalid_request_error', param: param ?? null, code: null } }
}
