import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { parseJson } from '../../../src/wire/json.ts'
import { readSse } from '../read-sse.ts'
import type { RecordedReply } from '../recordings/recording.ts'
import { chatCompletionsGist } from './chat-completions-gist.ts'
import { generateContentGist } from './generate-content-gist.ts'
import type { Gist, GistReader } from './gist.ts'
import { messagesGist } from './messages-gist.ts'
import { responsesGist } from './responses-gist.ts'

export const gistReaders: Readonly<Record<ProtocolName, GistReader>> = {
  'chat-completions': chatCompletionsGist,
  responses: responsesGist,
  messages: messagesGist,
  'generate-content': generateContentGist,
}

/** Nearly every case needs the gist of every recording, so each reply is read once. */
const kept = new WeakMap<RecordedReply, Gist>()

export function gistOf(protocol: ProtocolName, reply: RecordedReply): Gist {
  const known = kept.get(reply)
  if (known) return known
  const { form, text } = reply
  const reader = gistReaders[protocol]
  const gist = reader.read(form === 'stream' ? reader.accumulate(readSse(text)) : parseJson(text))
  kept.set(reply, gist)
  return gist
}
