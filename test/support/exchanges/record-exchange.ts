import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import type { FakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import type { Exchange, ExchangeFile } from './exchange.ts'
import { storeStream } from './stream-text.ts'

/** The file with the current answers of the scripted upstream; exchanges that were written by hand stay unchanged. */
export async function recordFile(
  upstream: FakeUpstream,
  file: ExchangeFile,
): Promise<ExchangeFile> {
  const exchanges: Exchange[] = []
  for (const exchange of file.exchanges) {
    const isRecorded = exchange.from !== 'written'
    exchanges.push(isRecorded ? await recordExchange(upstream, file.protocol, exchange) : exchange)
  }
  return { ...file, exchanges }
}

async function recordExchange(
  upstream: FakeUpstream,
  protocol: ProtocolName,
  exchange: Exchange,
): Promise<Exchange> {
  const { from, request } = exchange
  if (from !== 'written') upstream.script('next', from)
  const response = await fetch(upstream.url + pathOf(protocol, exchange), {
    method: request === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...ownHeaders[protocol] },
    ...(request === undefined ? {} : { body: JSON.stringify(request) }),
  })
  const text = await response.text()
  const { status: _status, reply: _reply, stream, rest: _rest, ...asked } = exchange
  if (stream !== undefined) {
    const stored = storeStream(protocol, text)
    const rest = stored.rest === '' ? {} : { rest: stored.rest }
    return { ...asked, status: response.status, stream: stored.stream, ...rest }
  }
  const reply = parseJson(text)
  if (!isObject(reply))
    throw new Error(`${protocol} ${exchange.name}: the reply is not a JSON object`)
  return { ...asked, status: response.status, reply }
}

const ownHeaders: Readonly<Record<ProtocolName, Readonly<Record<string, string>>>> = {
  'chat-completions': {},
  responses: {},
  messages: { 'anthropic-version': '2023-06-01' },
  'generate-content': {},
}

function pathOf(protocol: ProtocolName, exchange: Exchange): string {
  const { endpoint = 'answer', model, stream } = exchange
  if (protocol === 'generate-content') return googlePath(endpoint, model, stream !== undefined)
  if (endpoint === 'models') return '/v1/models'
  const paths = {
    'chat-completions': '/v1/chat/completions',
    responses: '/v1/responses',
    messages: '/v1/messages',
  }
  if (endpoint === 'answer') return paths[protocol]
  return protocol === 'responses' ? '/v1/responses/input_tokens' : '/v1/messages/count_tokens'
}

function googlePath(endpoint: string, model: string, isStream: boolean): string {
  if (endpoint === 'models') return '/v1beta/models'
  const base = `/v1beta/models/${model}`
  if (endpoint === 'count-tokens') return `${base}:countTokens`
  return isStream ? `${base}:streamGenerateContent?alt=sse` : `${base}:generateContent`
}
