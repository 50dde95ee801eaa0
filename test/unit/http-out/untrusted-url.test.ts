import { afterEach, describe, expect, test } from 'bun:test'
import { decodedBody } from '../../../src/http-out/decoded-body.ts'
import { createSendHttp, type Outgoing } from '../../../src/http-out/outgoing-http.ts'
import { isPublicAddress } from '../../../src/http-out/public-address.ts'
import { OutgoingFailure, type ReplyBody } from '../../../src/http-out/reply.ts'
import { StopSwitch } from '../../../src/http-out/stop-switch.ts'
import { type RawPeer, type RawServer, startRawServer } from './raw-server.ts'

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const straight = { ca: undefined, allowsPrivate: false, proxy: undefined }
const anyAddress = { ...straight, allowsPrivate: true }
let servers: RawServer[] = []

afterEach(() => {
  for (const server of servers) server.stop()
  servers = []
})

/** Answers every request and leaves each connection open. */
async function serve(): Promise<RawServer> {
  const server = await startRawServer(async (peer: RawPeer) => {
    for (let count = 1; ; count += 1) {
      await peer.requests(count)
      peer.socket.write(ok)
    }
  })
  servers.push(server)
  return server
}

function get(url: string, over: Partial<Outgoing> = {}): Outgoing {
  return {
    method: 'GET',
    url,
    headers: new Headers(),
    body: undefined,
    stop: new StopSwitch(),
    isUntrusted: true,
    ...over,
  }
}

async function outcomeOf(work: ReturnType<ReturnType<typeof createSendHttp>>): Promise<string> {
  try {
    const { body } = await work
    return Buffer.from((await body.readWhole(1_000)) ?? []).toString()
  } catch (error) {
    return error instanceof OutgoingFailure ? error.kind : String(error)
  }
}

function named(server: RawServer, name: string): string {
  return `${server.url.replace('127.0.0.1', name)}/x`
}

describe('a URL that a client wrote', () => {
  test.each([
    '127.0.0.1',
    'localhost',
    'localhost.',
    '2130706433',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
  ])('does not lead to %s, although an operator may write that', async (host) => {
    const server = await serve()
    const send = createSendHttp({ resolve: async () => ['127.0.0.1'] })
    expect(await outcomeOf(send(get(named(server, host))))).toBe('address_refused')
    expect(server.peers).toHaveLength(0)
  })

  test('is fetched if private addresses are allowed', async () => {
    const server = await serve()
    const outcome = outcomeOf(createSendHttp()(get(`${server.url}/x`, { connection: anyAddress })))
    expect(await outcome).toBe('ok')
  })

  test('is not answered over the connection of an upstream, and does not leave one behind', async () => {
    const server = await serve()
    const send = createSendHttp()
    const url = `${server.url}/x`
    const upstream = { isUntrusted: false, connection: anyAddress }
    const client = { connection: anyAddress }
    expect(await outcomeOf(send(get(url, upstream)))).toBe('ok')
    expect(await outcomeOf(send(get(url, client)))).toBe('ok')
    expect(await outcomeOf(send(get(url, client)))).toBe('ok')
    expect(await outcomeOf(send(get(url, upstream)))).toBe('ok')
    expect(server.peers).toHaveLength(3)
    await Promise.all([server.peers[1]?.closed, server.peers[2]?.closed])
    const requests = server.peers[0]?.text().match(/GET \/x/g)
    expect(requests).toHaveLength(2)
  })

  test('is checked although an upstream has used the same headers for the same URL', async () => {
    const server = await serve()
    const send = createSendHttp()
    const same = { headers: new Headers(), connection: straight }
    const url = `${server.url}/x`
    expect(await outcomeOf(send(get(url, { ...same, isUntrusted: false })))).toBe('ok')
    expect(await outcomeOf(send(get(url, same)))).toBe('address_refused')
    expect(await outcomeOf(send(get(url, { ...same, isUntrusted: false })))).toBe('ok')
    expect(server.peers).toHaveLength(1)
  })

  test('is looked up for each request, and the checked address is used', async () => {
    const server = await serve()
    const found = [['127.0.0.1'], ['127.0.0.1', '127.0.0.2'], []]
    let lookups = 0
    const send = createSendHttp({
      resolve: async () => found[lookups++] ?? [],
      isPublic: (address) => address === '127.0.0.1',
    })
    const url = named(server, 'rebinding.example')
    expect(await outcomeOf(send(get(url)))).toBe('ok')
    expect(await outcomeOf(send(get(url)))).toBe('address_refused')
    expect(await outcomeOf(send(get(url)))).toBe('connect_failed')
    expect(lookups).toBe(3)
    expect(server.peers).toHaveLength(1)
  })

  test('with any number of hosts does not close connections of upstreams', async () => {
    const server = await serve()
    const send = createSendHttp({ resolve: async () => ['10.0.0.1'], isPublic: isPublicAddress })
    const upstream = { isUntrusted: false }
    expect(await outcomeOf(send(get(`${server.url}/x`, upstream)))).toBe('ok')
    for (let host = 0; host < 1_100; host += 1) {
      expect(await outcomeOf(send(get(`http://h${host}.example/x`)))).toBe('address_refused')
    }
    expect(await outcomeOf(send(get(`${server.url}/x`, upstream)))).toBe('ok')
    expect(server.peers).toHaveLength(1)
  })

  test.each(['http', 'https'])('is never resolved by a proxy over %s', async (scheme) => {
    const server = await serve()
    const proxy = server.url.replace('http', scheme)
    const work = createSendHttp()(
      get('http://inside.example/x', { connection: { ...straight, proxy } }),
    )
    expect(await outcomeOf(work)).toContain('must not go through a proxy')
    expect(server.peers).toHaveLength(0)
  })
})

test('a compressed body that is refused unread is not decompressed', () => {
  const calls: string[] = []
  const body: ReplyBody = {
    read: () => {
      calls.push('read')
      return Promise.resolve(undefined)
    },
    readWhole: () => Promise.resolve(undefined),
    cancel: () => void calls.push('cancel'),
  }
  decodedBody(body, 'gzip').cancel()
  expect(calls).toEqual(['cancel'])
})
