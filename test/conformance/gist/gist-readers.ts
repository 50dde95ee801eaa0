import type { ProtocolName } from '../../../src/core/protocol-name.ts'
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

export function gistOf(protocol: ProtocolName, { form, text }: RecordedReply): Gist {
  const reader = gistReaders[protocol]
  return reader.read(form === 'stream' ? reader.accumulate(readSse(text)) : parseJson(text))
}
