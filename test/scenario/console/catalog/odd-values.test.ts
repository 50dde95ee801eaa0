import { afterAll, describe, expect, test } from 'bun:test'
import { chatBody } from '../../../support/gateway/ask.ts'
import { chatHead } from '../../../support/gateway/chat-request.ts'
import { sendRaw } from '../../../support/gateway/send-raw.ts'
import { startGateway, type TestGateway } from '../../../support/gateway/start-gateway.ts'
import { expectOrder } from '../../../support/gateway/with-gateway.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

const started: Promise<TestGateway>[] = []
afterAll(async () => {
  for (const gateway of started) await (await gateway).stop()
})

/** Values that are text to one engine and an error to the other. */
const oddNames: [string, string][] = [
  ['a null character', 'gpt\u0000x'],
  ['a lone surrogate', 'gpt\ud800x'],
  ['a lone surrogate where the log cuts the text', `${'m'.repeat(199)}🌍`],
  ['control characters', 'gpt\u0001\u001b[31mx\r\n'],
  ['quotes', `gpt'; DROP TABLE entry; --"\\`],
  ['right-to-left marks', 'gpt\u202ex'],
]

function scenarios(open: () => Promise<TestGateway>): void {
  test.each(oddNames)('a model whose name has %s', async (_, model) => {
    const gateway = await open()
    const { ask, money } = gateway
    const refused = await ask({ key: 'plain', body: chatBody({ model }) })
    expect(refused.status).toBe(404)
    expect(refused.json).toMatchObject({ error: { code: 'model_not_found' } })
    expect((await money.usageRow(refused.requestId)).reason).toBe('model_not_found')
    // An odd value in one request must not keep the next request out of the ledger.
    const next = await ask({ key: 'plain', body: chatBody() })
    expect(next.status).toBe(200)
    await money.entry(next.requestId)
    await expectOrder(gateway)
  })

  test('ids of the client and the upstream with characters beyond ASCII', async () => {
    const gateway = await open()
    const { url, keys, one, money } = gateway
    const body = JSON.stringify(chatBody())
    const headers = [`content-length: ${body.length}`, 'x-client-request-id: caf\xe9\x80 \xff']
    one.script('next', {
      kind: 'reply',
      headers: { 'content-type': 'application/json', 'x-request-id': 'r\xe9q' },
      body: JSON.stringify({ choices: [] }),
    })
    const request = Buffer.from(`${chatHead(keys.plain, headers)}${body}`, 'latin1')
    const answer = await sendRaw(url, [new Uint8Array(request)])
    expect(answer.status).toBe(200)
    const requestId = /x-gateway-request-id: (\S+)/i.exec(answer.text)?.[1] ?? ''
    expect((await money.usageRow(requestId)).client_request_id).toStartWith('caf')
    await expectOrder(gateway)
  })
}

describe('odd values on SQLite', () => {
  const gateway = () => (started[0] ??= startGateway())
  scenarios(gateway)
})

const name = 'odd values on Postgres'
if (postgresServerUrl(name) !== undefined) {
  describe(name, () => {
    const gateway = () => (started[1] ??= startGateway({ engine: 'postgres' }))
    scenarios(gateway)
  })
}
