import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { chatCompletionsSchemas } from './chat-completions.ts'
import { generateContentSchemas } from './generate-content.ts'
import { messagesSchemas } from './messages.ts'
import type { ProtocolSchemas } from './protocol-schemas.ts'
import { responsesSchemas } from './responses.ts'

const schemas: Readonly<Record<ProtocolName, ProtocolSchemas>> = {
  'chat-completions': chatCompletionsSchemas,
  responses: responsesSchemas,
  messages: messagesSchemas,
  'generate-content': generateContentSchemas,
}

/** The problems of a value by the schemas that this project has derived from the public references. */
export function ownSchemaProblems(
  protocol: ProtocolName,
  kind: keyof ProtocolSchemas,
  value: unknown,
): readonly string[] {
  const schema = schemas[protocol][kind]
  if (!schema) return [`${protocol} has no ${kind}`]
  const { error } = schema.safeParse(value)
  const lines = (error?.issues ?? []).map(
    ({ path, message, code }) => `own schema /${path.join('/')} ${code}: ${message}`,
  )
  return [...new Set(lines)].slice(0, 4)
}
