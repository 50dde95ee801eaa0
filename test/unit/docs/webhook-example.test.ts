import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createSendHttp } from '../../../src/http-out/outgoing-http.ts'
import { postWebhook } from '../../../src/outbox/webhook.ts'

type Headers = Record<string, string>
const secret = 'a-secret-of-twenty-characters'

/** The function of docs/alerts.md, as a reader copies it. */
async function readExample() {
  const document = readFileSync(new URL('../../../docs/alerts.md', import.meta.url), 'utf8')
  const [, code] = /```js\n([\s\S]*?)```/.exec(document) ?? []
  const source = `${code ?? ''}\nexport { isFromGateway }`
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  const { isFromGateway } = await import(url)
  return isFromGateway as (headers: Headers, body: string, secret: string) => boolean
}

test('the example in docs/alerts.md accepts a request of the gateway, and nothing else', async () => {
  const isFromGateway = await readExample()
  const received: { headers: Headers; body: string }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      received.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
      return new Response()
    },
  })
  const deps = { send: createSendHttp(), brand: 'gateway', allowsPrivate: true }
  const post = (nowMs: number) =>
    postWebhook(
      { ...deps, nowMs: () => nowMs },
      { url: `http://127.0.0.1:${server.port}/`, secret, body: '{"name":"é"}', deliveryId: '1' },
    )
  for (const lateMs of [0, 200_000, -400_000, 400_000]) await post(Date.now() - lateMs)
  await server.stop(true)
  const accepted = received.map(({ headers, body }) => isFromGateway(headers, body, secret))
  // A request that is repeated later is refused, and so is one of the future.
  expect(accepted).toEqual([true, true, false, false])
  const [{ headers, body } = { headers: {}, body: '' }] = received
  const seconds = Math.floor(Date.now() / 1_000)
  const wrong: readonly [string, Headers, string, string][] = [
    ['another body', headers, `${body} `, secret],
    ['another secret', headers, body, `${secret}x`],
    ['a newer timestamp', { ...headers, 'x-gateway-timestamp': String(seconds + 1) }, body, secret],
    ['no timestamp', { ...headers, 'x-gateway-timestamp': '' }, body, secret],
    ['no signature', { 'x-gateway-timestamp': String(seconds) }, body, secret],
    ['an empty signature', { ...headers, 'x-gateway-signature': 'v1=' }, body, secret],
  ]
  for (const [name, ...request] of wrong)
    expect([name, isFromGateway(...request)]).toEqual([name, false])
})
