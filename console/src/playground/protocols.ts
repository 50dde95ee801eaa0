import type { ProtocolName } from '../../../src/console-api/contract.ts'
import { chatRequest, readChat } from './chat-completions.ts'
import { generateRequest, readGenerate } from './generate-content.ts'
import { messagesRequest, readMessages } from './messages.ts'
import { readResponses, responsesRequest } from './responses.ts'
import type { ChatTurn, PlaySettings, ReplyDelta, WireRequest } from './turn.ts'

interface PlayProtocol {
  /** The header that carries the key, as the protocol's own clients send it. */
  readonly keyHeader: readonly [name: string, prefix: string]
  /** The other headers that its clients always send. */
  readonly headers: Readonly<Record<string, string>>
  readonly request: (settings: PlaySettings, turns: readonly ChatTurn[]) => WireRequest
  /** Reads an event of a stream or a complete response. */
  readonly read: (value: unknown, callsSoFar: number) => ReplyDelta[]
}

const bearer = ['authorization', 'Bearer '] as const

export const playProtocols: Readonly<Record<ProtocolName, PlayProtocol>> = {
  'chat-completions': {
    keyHeader: bearer,
    headers: {},
    request: chatRequest,
    read: readChat,
  },
  responses: {
    keyHeader: bearer,
    headers: {},
    request: responsesRequest,
    read: readResponses,
  },
  messages: {
    keyHeader: ['x-api-key', ''],
    headers: { 'anthropic-version': '2023-06-01' },
    request: messagesRequest,
    read: readMessages,
  },
  'generate-content': {
    keyHeader: ['x-goog-api-key', ''],
    headers: {},
    request: generateRequest,
    read: readGenerate,
  },
}
