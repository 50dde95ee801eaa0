import { createServer } from 'node:net'
import { createSendHttp } from '../../src/http-out/outgoing-http.ts'
import { startGateway, type TestGateway } from '../support/gateway/start-gateway.ts'
import { hasOpenssl, makePrivateCa } from '../support/outgoing/make-private-ca.ts'
import { startConnectProxy } from '../support/outgoing/start-connect-proxy.ts'
import { type Arrival, startRawUpstream } from '../support/outgoing/start-raw-upstream.ts'
import type { ScriptedReply } from '../support/protocols/test-protocol.ts'
import { allProtocols } from '../support/protocols/test-protocols.ts'
import { chunked, sized, streamType, wholeType } from './answer-bytes.ts'
import { type Cell, healthyId } from './cell.ts'
import { type Addresses, faultyProvision, type Ways } from './faulty-provision.ts'

const proxyUser = 'team:proxy-word-5e4d'
const healthyReply: ScriptedReply = { pieces: ['All ', 'well'] }
export const healthyText = 'All well'

export interface FaultyFixture {
  readonly gateway: TestGateway
  /** Sets the behaviour of the upstreams of these models, and resets their request counts. */
  play(cells: readonly Cell[]): void
  /** Requests that the faulty upstream of a model has received since. */
  askedOf(model: string): number
  stop(): Promise<void>
}

/** One gateway with an upstream for every fault; the path of a request names the upstream. */
export async function startFaultyFixture(others: Addresses = {}): Promise<FaultyFixture> {
  let playing = new Map<string, Cell>()
  let asked = new Map<string, number>()
  const answer = (arrival: Arrival) => {
    const [, name = '', path = ''] = /^POST \/([^/]+)(\S*) /.exec(arrival.head) ?? []
    asked.set(name, (asked.get(name) ?? 0) + 1)
    const isHealthy = allProtocols.some((protocol) => healthyId(protocol) === name)
    if (isHealthy) return answerHealthy(arrival, path)
    const cell = playing.get(name)
    if (!cell) throw new Error(`no behaviour is set for ${name}`)
    const { model, to, isStream, act } = cell
    act.play?.({ model, to, isStream, path, socket: arrival.socket })
  }
  const plain = await startRawUpstream(answer)
  // On a separate port, so that healthy upstreams never get connections that a faulty one is about to close.
  const healthy = await startRawUpstream(answer)
  const strange = hasOpenssl
    ? await startRawUpstream(answer, makePrivateCa('localhost').certificate)
    : undefined
  const ca = hasOpenssl ? makePrivateCa('localhost') : undefined
  const secure = ca ? await startRawUpstream(answer, ca.certificate) : undefined
  const proxy = await startConnectProxy(proxyUser)
  const silent = await startRawUpstream(() => undefined)
  const proxyUrl = `http://${proxyUser}@127.0.0.1:${proxy.port}`
  const ways: Ways = {
    proxied: { proxy: proxyUrl },
    'silent-proxy': { proxy: `http://127.0.0.1:${silent.port}` },
    ...(ca ? { tunnelled: { proxy: proxyUrl, ca: ca.root } } : {}),
  }
  const noTls = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  })
  const noTlsPort = await new Promise<number>((resolve) => {
    noTls.listen(0, '127.0.0.1', () => {
      const address = noTls.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })
  const url = `http://127.0.0.1:${plain.port}`
  const addresses = {
    plain: url,
    'billing-on': url,
    'hasty-headers': url,
    'hasty-token': url,
    'hasty-idle': url,
    refused: 'http://127.0.0.1:1',
    nameless: 'http://nobody.example',
    'no-tls': `https://127.0.0.1:${noTlsPort}`,
    ...(strange ? { 'strange-tls': `https://localhost:${strange.port}` } : {}),
    proxied: url,
    'silent-proxy': 'https://nobody.example',
    ...(secure ? { tunnelled: `https://localhost:${secure.port}` } : {}),
    ...others,
  }
  const gateway = await startGateway({
    extend: (usual) => faultyProvision(usual, addresses, `http://127.0.0.1:${healthy.port}`, ways),
    send: createSendHttp({ resolve: () => Promise.reject(new Error('NXDOMAIN')) }),
  })
  return {
    gateway,
    play: (cells) => {
      playing = new Map(cells.map((cell) => [cell.model, cell]))
      asked = new Map()
    },
    askedOf: (model) => asked.get(model) ?? 0,
    stop: async () => {
      await gateway.stop()
      noTls.close()
      const servers = [plain, healthy, strange, secure, proxy, silent]
      await Promise.all(servers.flatMap((server) => (server ? [server.stop()] : [])))
    },
  }
}

function answerHealthy({ socket, head, body }: Arrival, path: string): void {
  const name = /healthy\.([a-z-]+)/.exec(head)?.[1]
  const protocol = allProtocols.find((each) => each.name === name)
  if (!protocol) throw new Error(`no healthy upstream at ${path}`)
  const isStream = path.includes('streamGenerate') || body.includes('"stream":true')
  const { upstream } = protocol
  socket.write(
    isStream
      ? chunked(streamType, upstream.events(healthyReply))
      : sized(200, wholeType, JSON.stringify(upstream.reply(healthyReply))),
  )
}
