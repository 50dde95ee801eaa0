import type { ProtocolName } from '../../../src/console-api/contract.ts'
import { chatRequest, readChat } from './chat-completions.ts'
import { generateRequest, readGenerate } from './generate-content.ts'
import { messagesRequest, readMessages } from './messages.ts'
import { readResponses, responsesRequest } from './responses.ts'
import type { ChatTurn, PlaySettings, ReplyDelta, WireRequest } from './turn.ts'

interface PlayProtocol {
  readonly request: (settings: PlaySettings, turns: readonly ChatTurn[]) => WireRequest
  /** Reads an event of a stream or a complete response. */
  readonly read: (value: unknown, callsSoFar: number) => ReplyDelta[]
}

export const playProtocols: Readonly<Record<ProtocolName, PlayProtocol>> = {
  'chat-completions': { request: chatRequest, read: readChat },
  responses: { request: responsesRequest, read: readResponses },
  messages: { request: messagesRequest, read: readMessages },
  'generate-content': { request: generateRequest, read: readGenerate },
}
