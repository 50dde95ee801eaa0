import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fetchMedia } from '../../../src/gateway/forward/fetch-media.ts'
import type { AddressDeps } from '../../../src/http-out/checked-addresses.ts'
import {
  createSendHttp,
  type Outgoing,
  type SendHttp,
} from '../../../src/http-out/outgoing-http.ts'
import { stopOn } from '../../../src/http-out/stop-switch.ts'
import { missingPart } from '../../support/missing-part.ts'
import { hasOpenssl, makePrivateCa } from '../../support/outgoing/make-private-ca.ts'
import { type ConnectProxy, startConnectProxy } from '../../support/outgoing/start-connect-proxy.ts'
import { startFullListener } from '../../support/outgoing/start-full-listener.ts'
import {
  answerOk,
  type RawUpstream,
  startRawUpstream,
} from '../../support/outgoing/start-raw-upstream.ts'
import { failureOf } from '../../support/store/failure-of.ts'

const straight = { proxy: undefined, ca: undefined, allowsPrivate: false }

function outgoing(url: string, own: Partial<Outgoing> = {}): Outgoing {
  const headers = new Headers({ authorization: 'Bearer secret' })
  const stop = stopOn(AbortSignal.timeout(10_000))
  return { url, headers, body: 'hello', stop, connection: straight, ...own }
}

/** Names resolve as in the table; of this machine's addresses only 127.0.0.1 counts as public. */
function sendWith(table: Readonly<Record<string, () => readonly string[]>>): {
  send: SendHttp
  asked: string[]
} {
  const asked: string[] = []
  const deps: Partial<AddressDeps> = {
    resolve: async (name) => {
      asked.push(name)
      const answer = table[name]
      if (!answer) throw new Error(`ENOTFOUND ${name}`)
      return answer()
    },
    isPublic: (address) => address === '127.0.0.1',
  }
  return { send: createSendHttp(deps), asked }
}

let upstream: RawUpstream
beforeAll(async () => {
  upstream = await startRawUpstream(({ socket }) => void socket.write(answerOk))
})
afterAll(() => upstream.stop())
const arrived = () => upstream.arrivals.length
const hostLine = () => /host: (\S+)/i.exec(upstream.arrivals.at(-1)?.head ?? '')?.[1]

describe('the addresses that a name may resolve to', () => {
  test('a public address, which is connected to under the name, and looked up once', async () => {
    const { send, asked } = sendWith({ 'api.example': () => ['127.0.0.1'] })
    const url = `http://api.example:${upstream.port}/v1`
    for (const _ of [1, 2, 3]) expect((await send(outgoing(url))).status).toBe(200)
    expect(hostLine()).toBe(`api.example:${upstream.port}`)
    expect(asked).toEqual(['api.example'])
  })

  test.each([
    ['a private address', ['10.0.0.1']],
    ['this machine', ['::1']],
    ['a public and a private address', ['127.0.0.1', '192.168.0.1']],
  ])('not to %s', async (_what, addresses) => {
    const before = arrived()
    const { send } = sendWith({ 'api.example': () => addresses })
    const failure = await failureOf(send(outgoing(`http://api.example:${upstream.port}/v1`)))
    expect(failure).toContain('api.example leads to')
    expect(failure).toContain('privateAddresses')
    expect(arrived()).toBe(before)
  })

  test('not this machine, by the gateway’s own check', async () => {
    const before = arrived()
    const send = createSendHttp({ resolve: async () => ['127.0.0.1'] })
    const failure = await failureOf(send(outgoing(`http://localhost.:${upstream.port}/v1`)))
    expect(failure).toContain('localhost. leads to 127.0.0.1, which is not a public address')
    expect(arrived()).toBe(before)
  })

  test('any address if the upstream allows it', async () => {
    const { send } = sendWith({ 'inside.example': () => ['127.0.0.2', '127.0.0.1'] })
    const connection = { ...straight, allowsPrivate: true }
    const url = `http://inside.example:${upstream.port}/v1`
    expect((await send(outgoing(url, { connection }))).status).toBe(200)
    expect(hostLine()).toBe(`inside.example:${upstream.port}`)
  })

  test.each(['127.0.0.1', 'localhost'])('%s is used as it is written', async (host) => {
    const { send, asked } = sendWith({})
    expect((await send(outgoing(`http://${host}:${upstream.port}/v1`))).status).toBe(200)
    expect(asked).toEqual([])
  })

  describe('to a public address first and to a private one later', () => {
    const rebound = () => {
      const time = { nowMs: 0 }
      const answers = [['127.0.0.1']]
      const send = createSendHttp({
        monotonicMs: () => time.nowMs,
        resolve: async () => answers.shift() ?? ['10.0.0.1'],
        isPublic: (address) => address === '127.0.0.1',
      })
      return { time, ask: () => send(outgoing(`http://api.example:${upstream.port}/v1`)) }
    }

    test('is refused when it is looked up again', async () => {
      const { time, ask } = rebound()
      expect((await ask()).status).toBe(200)
      const before = arrived()
      time.nowMs += 60 * 60_000
      expect(await failureOf(ask())).toContain('leads to 10.0.0.1')
      expect(await failureOf(ask())).toContain('leads to 10.0.0.1')
      expect(arrived()).toBe(before)
    })
  })

  test('the last answer serves for a while when the name servers fail', async () => {
    let nowMs = 0
    let isDown = false
    const send = createSendHttp({
      monotonicMs: () => nowMs,
      resolve: async () => {
        if (isDown) throw new Error('SERVFAIL')
        return ['127.0.0.1']
      },
      isPublic: () => true,
    })
    const url = `http://api.example:${upstream.port}/v1`
    expect((await send(outgoing(url))).status).toBe(200)
    isDown = true
    nowMs += 60_000
    expect((await send(outgoing(url))).status).toBe(200)
    const other = `http://other.example:${upstream.port}/v1`
    expect(await failureOf(send(outgoing(other)))).toContain('other.example cannot be resolved')
  })
})

describe('a connection that does not open', () => {
  test('ends the request after its own timeout, on a host that does not answer', async () => {
    const full = await startFullListener()
    const failure = await failureOf(
      createSendHttp()(outgoing(`http://127.0.0.1:${full.port}/`, { connectMs: 200 })),
    )
    expect(failure).toContain('no connection within')
    await full.stop()
  })

  test('is skipped when the name has another address', async () => {
    const { send } = sendWith({ 'api.example': () => ['127.0.0.3', '127.0.0.1'] })
    const connection = { ...straight, allowsPrivate: true }
    const url = `http://api.example:${upstream.port}/v1`
    expect((await send(outgoing(url, { connection }))).status).toBe(200)
  })
})

describe('through a proxy', () => {
  let proxy: ConnectProxy
  beforeAll(async () => {
    proxy = await startConnectProxy('team:pass word')
  })
  afterAll(() => proxy.stop())
  const through = (user: string) => ({
    ...straight,
    proxy: `http://${user}@127.0.0.1:${proxy.port}`,
  })

  test('a plain request goes to the proxy, which looks the name up', async () => {
    const { send, asked } = sendWith({})
    const url = `http://api.example:${upstream.port}/v1`
    const connection = through('team:pass%20word')
    expect((await send(outgoing(url, { connection }))).status).toBe(200)
    expect(hostLine()).toBe(`api.example:${upstream.port}`)
    expect(asked).toEqual([])
    expect(proxy.heads.at(-1)).toStartWith(`POST http://api.example:${upstream.port}/v1`)
  })

  test('with a wrong password nothing reaches the upstream', async () => {
    const before = arrived()
    const { send } = sendWith({})
    const connection = through('team:wrong')
    const url = `http://api.example:${upstream.port}/v1`
    expect((await send(outgoing(url, { connection }))).status).toBe(407)
    const secure = outgoing(`https://api.example:${upstream.port}/v1`, { connection })
    const failure = await failureOf(send(secure))
    expect(failure).toContain('407')
    expect(failure).not.toContain('wrong')
    expect(arrived()).toBe(before)
  })

  test('an unreachable proxy is reported without its password', async () => {
    const { send } = sendWith({})
    const connection = { ...straight, proxy: 'http://team:secret-word@127.0.0.1:1' }
    const failure = await failureOf(send(outgoing('https://api.example/v1', { connection })))
    expect(failure).not.toContain('secret-word')
  })
})

if (!hasOpenssl) missingPart('scenario: a private CA', 'no openssl')
if (hasOpenssl) describe('a private CA', aboutPrivateCa)

function aboutPrivateCa() {
  const ca = makePrivateCa('api.example')
  const other = makePrivateCa('api.example')
  let secure: RawUpstream
  let proxy: ConnectProxy
  beforeAll(async () => {
    secure = await startRawUpstream(({ socket }) => void socket.write(answerOk), ca.certificate)
    proxy = await startConnectProxy('team:word')
  })
  afterAll(async () => {
    await secure.stop()
    await proxy.stop()
  })
  const place = (name: string) => `https://${name}:${secure.port}/v1`
  const names = { 'api.example': () => ['127.0.0.1'], 'wrong.example': () => ['127.0.0.1'] }

  test('is trusted for its name, and the connection is kept', async () => {
    const { send } = sendWith(names)
    const connection = { ...straight, ca: ca.root }
    const before = secure.arrivals.length
    for (const _ of [1, 2]) {
      const response = await send(outgoing(place('api.example'), { connection }))
      expect(new TextDecoder().decode(await response.body.readWhole(100))).toBe('ok')
    }
    const [first, second, ...others] = secure.arrivals.slice(before)
    expect(others).toEqual([])
    expect(second?.connection).toBe(first?.connection ?? Number.NaN)
    expect(first?.head).toContain(`api.example:${secure.port}`)
  })

  test('is trusted through a tunnel, of which the proxy sees only the name', async () => {
    const { send } = sendWith({})
    const connection = {
      ...straight,
      ca: ca.root,
      proxy: `http://team:word@127.0.0.1:${proxy.port}`,
    }
    expect((await send(outgoing(place('api.example'), { connection }))).status).toBe(200)
    expect(proxy.heads.at(-1)).toStartWith(`CONNECT api.example:${secure.port}`)
    expect(proxy.heads.join('')).not.toContain('Bearer')
  })

  test.each([
    ['no CA is given', 'api.example', () => undefined, 'certificate'],
    ['another CA is given', 'api.example', () => other.root, 'certificate'],
    [
      'the certificate is for another name',
      'wrong.example',
      () => ca.root,
      'does not match certificate',
    ],
    ['the CA is not a certificate', 'api.example', () => 'nonsense', 'cannot be read'],
    [
      'the CA is a damaged certificate',
      'api.example',
      () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      'cannot be read',
    ],
  ])('nothing is sent when %s', async (_what, name, root, words) => {
    const before = secure.arrivals.length
    const { send } = sendWith(names)
    const connection = { ...straight, ca: root() }
    expect(await failureOf(send(outgoing(place(name), { connection })))).toContain(words)
    expect(secure.arrivals).toHaveLength(before)
  })

  test.each([
    ['api.example', 'ok'],
    ['wrong.example', 'does not match certificate'],
  ])('the certificate of a URL from a client must be for %s', async (name, outcome) => {
    const { send } = sendWith(names)
    const connection = { ...straight, ca: ca.root, allowsPrivate: true }
    const answer = send(outgoing(place(name), { connection, isUntrusted: true }))
    if (outcome === 'ok') expect((await answer).status).toBe(200)
    else expect(await failureOf(answer)).toContain(outcome)
  })

  test('a file is not requested from a host whose certificate is not trusted', async () => {
    const before = secure.arrivals.length
    const { send } = sendWith(names)
    const fetched = fetchMedia(`${place('api.example')}/x.png`, send, { allowPrivate: true })
    expect(await failureOf(fetched)).toContain('cannot be reached')
    expect(secure.arrivals).toHaveLength(before)
  })
}
