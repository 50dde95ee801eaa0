import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createSendHttp } from '../../../src/http-out/outgoing-http.ts'
import { postWebhook } from '../../../src/outbox/webhook.ts'
import { missingPart } from '../../support/missing-part.ts'

type HeaderTexts = Record<string, string>
const secret = 'a-secret-of-twenty-characters'
const document = readFileSync(new URL('../../../docs/alerts.md', import.meta.url), 'utf8')

interface Asked {
  readonly name: string
  readonly headers: HeaderTexts
  readonly body: string
  readonly secret: string
  readonly isAccepted: boolean
}

/** Each language has its own program, which asks the example about the requests of its standard input. */
const programs: Record<string, readonly [command: readonly string[], program: string]> = {
  js: [
    ['node', '--input-type=module', '-e'],
    `
import { readFileSync } from 'node:fs'
const asked = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(asked.map((each) => isFromGateway(each.headers, each.body, each.secret))))`,
  ],
  python: [
    ['python3', '-c'],
    `
import json, sys
asked = json.loads(sys.stdin.buffer.read())
print(json.dumps([is_from_gateway(each['headers'], each['body'].encode(), each['secret']) for each in asked]))`,
  ],
}

/** The example of docs/alerts.md as a reader copies it, in the program of its language. */
async function answersOf(language: string, asked: readonly Asked[]): Promise<unknown> {
  const [, code] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(document) ?? []
  const [command, program] = programs[language] ?? [[], '']
  const child = Bun.spawn([...command, `${code ?? ''}\n${program}`], {
    stdin: new TextEncoder().encode(JSON.stringify(asked)),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, trouble] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(trouble)
  return JSON.parse(out)
}

/** Real requests of the gateway, and the same ones changed. */
async function collectRequests(): Promise<Asked[]> {
  const received: { headers: HeaderTexts; body: string }[] = []
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
  const ages = [
    ['now', 0, true],
    ['a little late', 200_000, true],
    ['of the future', -400_000, false],
    ['repeated later', 400_000, false],
  ] as const
  for (const [, lateMs] of ages) await post(Date.now() - lateMs)
  await server.stop(true)
  const asked = received.map((each, index): Asked => {
    const [name, , isAccepted] = ages[index] ?? ['', 0, false]
    return { ...each, name, secret, isAccepted }
  })
  const [{ headers, body } = { headers: {}, body: '' }] = received
  const { 'x-gateway-timestamp': _time, ...timeless } = headers
  const { 'x-gateway-signature': signature = '', ...unsigned } = headers
  const newer = String(Number(headers['x-gateway-timestamp']) + 1)
  const wrong: readonly [string, HeaderTexts, string, string][] = [
    ['another body', headers, `${body} `, secret],
    ['another secret', headers, body, `${secret}x`],
    ['a newer timestamp', { ...headers, 'x-gateway-timestamp': newer }, body, secret],
    ['an empty timestamp', { ...headers, 'x-gateway-timestamp': '' }, body, secret],
    ['a timestamp that is no number', { ...headers, 'x-gateway-timestamp': 'x' }, body, secret],
    ['no timestamp', timeless, body, secret],
    ['no signature', unsigned, body, secret],
    ['an empty signature', { ...headers, 'x-gateway-signature': 'v1=' }, body, secret],
    [
      'half a signature',
      { ...headers, 'x-gateway-signature': signature.slice(0, 9) },
      body,
      secret,
    ],
    ['a signature in another script', { ...headers, 'x-gateway-signature': 'é' }, body, secret],
  ]
  for (const [name, ...rest] of wrong) {
    const [changed, changedBody, other] = rest
    asked.push({ name, headers: changed, body: changedBody, secret: other, isAccepted: false })
  }
  return asked
}

for (const language of Object.keys(programs)) {
  const name = `the ${language} example in docs/alerts.md accepts a request of the gateway, and nothing else`
  const [[command = '']] = programs[language] ?? [[]]
  if (Bun.which(command) === null) {
    missingPart(name, `no ${command}`)
    continue
  }
  test(name, async () => {
    const asked = await collectRequests()
    const answers = await answersOf(language, asked)
    const told = asked.map((each, index) => [each.name, (answers as boolean[])[index]])
    expect(told).toEqual(asked.map((each) => [each.name, each.isAccepted]))
  })
}
