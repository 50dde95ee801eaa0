import type { ProtocolName } from '../core/neutral/protocol-name.ts'
import { chatCompletions } from './chat-completions/index.ts'
import { generateContent } from './generate-content/index.ts'
import { messages } from './messages/index.ts'
import type { Protocol } from './protocol.ts'
import { responses } from './responses/index.ts'

/** The only list of protocols. */
export const protocols: Readonly<Record<ProtocolName, Protocol>> = {
  'chat-completions': chatCompletions,
  responses,
  messages,
  'generate-content': generateContent,
}
