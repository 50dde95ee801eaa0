import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { readJsonBody } from '../../../src/gateway/admit/read-json-body.ts'
import { protocols } from '../../../src/protocols/index.ts'
import type { StreamFraming } from '../../../src/protocols/request-facts.ts'
import type { Recording } from '../recordings/recording.ts'
import type { ClientRequest } from './contexts.ts'
import { bytesOf } from './decode-stream.ts'

/** The parameters in the path of a generate-content request. */
interface PathSays {
  readonly model: string
  readonly isStream: boolean
  readonly framing?: StreamFraming
}

/** Reads a body as the gateway does for a client of this protocol; 400 as a Fault. */
export function decodeClientBody(
  client: ProtocolName,
  text: string,
  path: PathSays,
): ClientRequest {
  const { passThrough, translation } = protocols[client]
  const body = readJsonBody(bytesOf(text), (prefix) => prefix)
  if (body instanceof Promise) throw new Error('the recording is too long to be read at once')
  const isPathBound = client === 'generate-content'
  const facts = passThrough.decodeFacts(body, {
    model: isPathBound ? path.model : undefined,
    isStream: isPathBound ? path.isStream : undefined,
    framing: path.framing ?? 'sse',
  })
  return { request: translation.decodeRequest(body, facts), body: body.value }
}

const recorded = new WeakMap<Recording, ClientRequest>()

/** Read once for all pairs of protocols: no step on the way to an upstream changes a decoded request. */
export function decodeRecordedRequest(recording: Recording): ClientRequest | undefined {
  if (recording.requestText === undefined) return undefined
  const known = recorded.get(recording)
  if (known) return known
  const decoded = decodeClientBody(recording.protocol, recording.requestText, {
    model: recording.model,
    isStream: recording.isStreamAsked,
  })
  recorded.set(recording, decoded)
  return decoded
}

const plainBodies: Readonly<Record<ProtocolName, unknown>> = {
  'chat-completions': { model: 'public-model', messages: [{ role: 'user', content: 'Hi' }] },
  responses: { model: 'public-model', input: 'Hi' },
  messages: {
    model: 'public-model',
    max_tokens: 500,
    messages: [{ role: 'user', content: 'Hi' }],
  },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
}

/** The minimal request of a protocol, for replies whose own request cannot be expressed in it. */
export function plainClientRequest(client: ProtocolName, answers: number): ClientRequest {
  const { request, body } = decodeClientBody(client, JSON.stringify(plainBodies[client]), {
    model: 'public-model',
    isStream: true,
  })
  return { request: { ...request, answers }, body }
}
