import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Chance } from '../simulation/chance.ts'
import { allProtocols } from '../support/protocols/test-protocols.ts'
import { anything, damaged, mutatedJson, pick } from './mutate.ts'

export interface HostileUpstream {
  readonly url: string
  readonly served: number
  stop(): Promise<void>
}

const said = { pieces: ['Grü', 'ße ', 'aus Łódź 🌍'] }
const call = { call: { id: 'c1', name: 'look_up', input: { city: 'Łódź' } } }

/**
 * An upstream that answers correctly half of the time. Otherwise it answers like a broken or hostile one: garbage,
 * wrong numbers, HTML pages, broken streams. Its errors quote the credential.
 */
export async function startHostileUpstream(): Promise<HostileUpstream> {
  let served = 0
  const server = createServer((request, response) => {
    const pieces: Uint8Array[] = []
    request.on('data', (piece: Uint8Array) => pieces.push(piece))
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    request.on('end', () => {
      served += 1
      answer(request, response, new Chance(served))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return {
    url: `http://127.0.0.1:${port}`,
    get served() {
      return served
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function answer(request: IncomingMessage, response: ServerResponse, chance: Chance): void {
  const path = request.url ?? ''
  const protocol =
    allProtocols.find(({ name }) => pathOfProtocol[name]?.test(path)) ?? allProtocols[0]
  if (!protocol) throw new Error('there are no protocols')
  const isStream = request.headers.accept === 'text/event-stream'
  const { upstream } = protocol
  const what = chance.is(0.3) ? { ...said, ...call } : said
  if (chance.is(0.5)) {
    if (isStream) sendText(response, 200, 'text/event-stream', upstream.events(what).join(''))
    else sendText(response, 200, 'application/json', JSON.stringify(upstream.reply(what)))
    return
  }
  const secret = `${request.headers.authorization ?? ''} ${String(request.headers['x-api-key'] ?? '')} ${String(request.headers['x-goog-api-key'] ?? '')}`
  switch (chance.whole(0, isStream ? 9 : 6)) {
    case 0:
      sendText(
        response,
        pick(chance, [200, 400, 403, 404, 429, 500, 502]),
        'text/html',
        '<html>hello</html>',
      )
      break
    case 1: {
      const status = pick(
        chance,
        [400, 401, 403, 404, 409, 413, 418, 422, 429, 451, 500, 503, 529, 599],
      )
      const error = { message: `bad key ${secret}`, type: anything(chance, 3), code: status }
      sendText(response, status, 'application/json', JSON.stringify({ error, type: 'error' }))
      break
    }
    case 2:
      response.socket?.destroy()
      break
    case 3:
      sendText(response, 200, 'application/json', mutatedJson(upstream.reply(what), chance, 0.2))
      break
    case 4:
      sendText(response, 200, 'application/json', anything(chance, 0))
      break
    case 5:
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' })
      response.write('{"id":')
      setImmediate(() => response.destroy())
      break
    case 6:
      sendText(response, pick(chance, [200, 204, 301, 302, 304, 307]), 'application/json', '')
      break
    case 7:
      sendText(response, 200, 'text/event-stream', damaged(upstream.events(what).join(''), chance))
      break
    case 8: {
      const frames = upstream.events(what).map((text) => mutatedFrame(text, chance))
      sendText(response, 200, 'text/event-stream', frames.join(''))
      break
    }
    default: {
      const frames = upstream.events(what)
      const begun = frames.slice(0, chance.whole(0, frames.length))
      begun.push(chance.is(0.5) ? upstream.faultEvent(500, `bad key ${secret}`) : 'data: {\n\n')
      sendText(response, 200, 'text/event-stream', begun.join(''))
    }
  }
}

const pathOfProtocol: Readonly<Record<string, RegExp>> = {
  'chat-completions': /\/chat\/completions/,
  responses: /\/responses/,
  messages: /\/messages/,
  'generate-content': /:(?:generate|stream|count)/,
}

function mutatedFrame(text: string, chance: Chance): string {
  return text.replace(/^data: (\{.*\})\r?$/m, (whole, json: string) => {
    if (chance.is(0.5)) return whole
    return `data: ${mutatedJson(JSON.parse(json), chance, 0.15)}`
  })
}

function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
): void {
  response.writeHead(status, { 'content-type': type, 'x-request-id': 'upstream-1' })
  response.end(status === 204 || status === 304 ? undefined : body)
}
