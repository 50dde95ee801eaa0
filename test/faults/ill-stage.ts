import { createServer } from 'node:net'
import { createSendHttp } from '../../src/http-out/outgoing-http.ts'
import { startGateway, type TestGateway } from '../support/gateway/start-gateway.ts'
import { hasOpenssl, makePrivateCa } from '../support/outgoing/make-private-ca.ts'
import { startConnectProxy } from '../support/outgoing/start-connect-proxy.ts'
import { type Arrival, startRawUpstream } from '../support/outgoing/start-raw-upstream.ts'
import type { Said } from '../support/tongues/tongue.ts'
import { allTongues } from '../support/tongues/tongues.ts'
import { chunked, sized, streamType, wholeType } from './answer-bytes.ts'
import { type Cell, healthyId } from './cell.ts'
import { type Addresses, illProvision, type Ways } from './ill-provision.ts'

const proxyUser = 'team:proxy-word-5e4d'
const wellSaid: Said = { pieces: ['All ', 'well'] }
export const wellText = 'All well'

export interface IllStage {
  readonly gateway: TestGateway
  /** What the upstreams of these models do from now on, and that nobody has asked them yet. */
  play(cells: readonly Cell[]): void
  /** How often the ill upstream of a model was asked since. */
  askedOf(model: string): number
  stop(): Promise<void>
}

/** One gateway before upstreams that are ill in every way there is, each seen by the path that it is asked under. */
export async function startIllStage(others: Addresses = {}): Promise<IllStage> {
  let playing = new Map<string, Cell>()
  let asked = new Map<string, number>()
  const answer = (arrival: Arrival) => {
    const [, name = '', path = ''] = /^POST \/([^/]+)(\S*) /.exec(arrival.head) ?? []
    asked.set(name, (asked.get(name) ?? 0) + 1)
    const well = allTongues.find((tongue) => healthyId(tongue) === name)
    if (well) return answerWell(arrival, path)
    const cell = playing.get(name)
    if (!cell) throw new Error(`nobody plays ${name}`)
    const { model, to, isStream, act } = cell
    act.play?.({ model, to, isStream, path, socket: arrival.socket })
  }
  const plain = await startRawUpstream(answer)
  // At a place of their own: who is well must not be sent connections that the ill are about to close.
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
    extend: (usual) => illProvision(usual, addresses, `http://127.0.0.1:${healthy.port}`, ways),
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

function answerWell({ socket, head, body }: Arrival, path: string): void {
  const name = /healthy\.([a-z-]+)/.exec(head)?.[1]
  const tongue = allTongues.find((each) => each.name === name)
  if (!tongue) throw new Error(`nobody is well at ${path}`)
  const isStream = path.includes('streamGenerate') || body.includes('"stream":true')
  const { upstream } = tongue
  socket.write(
    isStream
      ? chunked(streamType, upstream.events(wellSaid))
      : sized(200, wholeType, JSON.stringify(upstream.reply(wellSaid))),
  )
}
