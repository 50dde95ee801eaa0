import { afterAll, expect, test } from 'bun:test'
import type { Provision, ProvisionUpstream } from '../../../src/config/provision.ts'
import { createSendHttp } from '../../../src/http-out/outgoing-http.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { missingPart } from '../../support/missing-part.ts'
import { hasOpenssl, makePrivateCa } from '../../support/outgoing/make-private-ca.ts'
import { startConnectProxy } from '../../support/outgoing/start-connect-proxy.ts'
import { startFullListener } from '../../support/outgoing/start-full-listener.ts'
import { startRawUpstream } from '../../support/outgoing/start-raw-upstream.ts'

/*
 * The connection settings of an upstream, from the file to the wire: each model tests one of them. A failed connection
 * is an attempt in the log, a plain error for the client, and a reason for the operator.
 */

const proxyPassword = 'proxy-pass-7c6b5a'
const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'x',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
})
const answerBytes = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`

const ca = hasOpenssl ? makePrivateCa('api.example') : undefined
const otherCa = hasOpenssl ? makePrivateCa('api.example') : undefined
if (!ca) missingPart('scenario: attempts over TLS', 'no openssl')
const plain = await startRawUpstream(({ socket }) => void socket.write(answerBytes))
const secure = await startRawUpstream(
  ({ socket }) => void socket.write(answerBytes),
  ca?.certificate,
)
const elsewhere = await startRawUpstream(({ socket }) => void socket.write(answerBytes))
const moved = await startRawUpstream(({ socket }) => {
  const location = `http://127.0.0.1:${elsewhere.port}/v1/chat/completions?token=in-the-query`
  socket.write(`HTTP/1.1 307 Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`)
})
const proxy = await startConnectProxy(`team:${proxyPassword}`)
const full = await startFullListener()
afterAll(async () => {
  for (const each of [plain, secure, elsewhere, moved, proxy, full]) await each.stop()
})

type Own = Pick<ProvisionUpstream, 'baseUrl' | 'proxy' | 'allowsPrivate' | 'ca' | 'timeouts'>
const proxyUrl = (password: string) => `http://team:${password}@127.0.0.1:${proxy.port}`
const upstreams: Record<string, Own> = {
  'private-name': { baseUrl: `http://inside.example:${plain.port}/v1` },
  'allowed-name': {
    baseUrl: `http://inside.example:${plain.port}/v1`,
    allowsPrivate: true,
  },
  'unknown-name': { baseUrl: 'http://nobody.example/v1' },
  'no-ca': {
    baseUrl: `https://api.example:${secure.port}/v1`,
    allowsPrivate: true,
  },
  'wrong-ca': {
    baseUrl: `https://api.example:${secure.port}/v1`,
    ca: otherCa?.root,
    allowsPrivate: true,
  },
  'own-ca': {
    baseUrl: `https://api.example:${secure.port}/v1`,
    ca: ca?.root,
    allowsPrivate: true,
  },
  'behind-proxy': {
    baseUrl: `http://far.example:${plain.port}/v1`,
    proxy: proxyUrl(proxyPassword),
  },
  'closed-proxy': { baseUrl: `http://far.example:${plain.port}/v1`, proxy: proxyUrl('wrong') },
  moved: { baseUrl: `http://127.0.0.1:${moved.port}/v1` },
  'black-hole': {
    baseUrl: `http://127.0.0.1:${full.port}/v1`,
    timeouts: { connectMs: 300 },
  },
}

function extend(provision: Provision): Provision {
  const [model] = provision.models
  const [upstream] = provision.upstreams
  if (!model || !upstream) throw new Error('the provision of the tests has changed')
  const names = Object.keys(upstreams)
  return {
    ...provision,
    models: [...provision.models, ...names.map((id) => ({ ...model, id }))],
    upstreams: [
      ...provision.upstreams,
      ...Object.entries(upstreams).map(([id, own]) => ({
        ...upstream,
        id,
        models: [{ model: id, upstreamModel: id }],
        ...own,
      })),
    ],
  }
}

/** Only the name resolution is replaced; everything else about the connection is the gateway's own. */
const send = createSendHttp({
  resolve: async (name) => {
    if (name === 'nobody.example') throw new Error('ENOTFOUND')
    return ['127.0.0.1']
  },
})
const gateway = withGateway({ extend, send })

const failing: [model: string, says: string, withTls?: true][] = [
  ['private-name', 'inside.example leads to 127.0.0.1, which is not a public address'],
  ['unknown-name', 'nobody.example cannot be resolved: ENOTFOUND'],
  ['no-ca', 'unable to verify the first certificate', true],
  ['wrong-ca', 'unable to verify the first certificate', true],
  ['closed-proxy', 'its proxy refuses the user or password'],
  ['moved', `redirects to http://127.0.0.1:${elsewhere.port}, which is not followed`],
  ['black-hole', 'no connection within'],
]
test.each(failing.filter(([, , withTls]) => ca !== undefined || withTls !== true))(
  '%s fails as one counted attempt, and the log says why',
  async (model, says) => {
    const { ask, money, logLines } = gateway()
    const before = [plain, secure, elsewhere].map(({ arrivals }) => arrivals.length)
    const linesBefore = logLines.length
    const reply = await ask({ key: 'plain', body: chatBody({ model }) })
    expect(reply.status).toBe(502)
    expect(reply.text).not.toContain('127.0.0.1')
    expect(await money.attempts(reply.requestId)).toMatchObject([
      { upstream_id: model, reason: 'upstream_error' },
    ])
    expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
    const lines = logLines.slice(linesBefore).join('')
    expect(lines).toContain(says)
    expect(lines).not.toContain(proxyPassword)
    expect(lines).not.toContain('in-the-query')
    expect([plain, secure, elsewhere].map(({ arrivals }) => arrivals.length)).toEqual(before)
  },
)

const working = ['allowed-name', 'behind-proxy', ...(ca ? ['own-ca'] : [])]
test.each(working)('%s answers', async (model) => {
  const { ask, money } = gateway()
  const reply = await ask({ key: 'plain', body: chatBody({ model }) })
  expect(reply.status).toBe(200)
  expect((await money.entry(reply.requestId)).cost_nano).toBe(125_000n)
})

test('the credential goes to the upstream alone', async () => {
  await gateway().ask({ key: 'plain', body: chatBody({ model: 'moved' }) })
  const shown = `Bearer ${credentials.one}`
  expect(moved.arrivals.every(({ head }) => head.includes(shown))).toBe(true)
  expect(moved.arrivals).not.toHaveLength(0)
  expect(elsewhere.arrivals).toHaveLength(0)
})
