import { describe, expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import { greeting, greetingText } from '../../support/protocols/test-protocol.ts'
import { allPairs, testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const clients = Object.values(testProtocols)

/** Claude Code and other agents retry a request for minutes, or not at all, depending only on this header. */
const shouldRetry = 'x-should-retry'

describe('whether an agent should retry', () => {
  test.each(clients)('$name: not with a key that is refused', async ({ client }) => {
    const model = viaModel('messages')
    const reply = await gateway().ask({
      path: client.path(model, true),
      headers: client.keyHeaders('sk-wrong-key-000000000000000000000000'),
      body: client.body(model, true),
    })
    expect(reply.status).toBe(401)
    expect(reply.headers.get(shouldRetry)).toBe('false')
  })

  test('not for a model that the key may never call', async () => {
    const reply = await gateway().ask({ key: 'modelless', body: chatBody() })
    expect(reply.status).toBe(403)
    expect(reply.headers.get(shouldRetry)).toBe('false')
  })

  test.each(allPairs)('$pair: after one failure, and then continues', async ({ from, to }) => {
    const { ask, one } = gateway()
    const model = viaModel(to.name)
    const question = {
      key: 'any',
      path: from.client.path(model, true),
      body: from.client.body(model, true),
    } as const
    one.script('next', { kind: 'status', status: 500 })
    one.script('next', { kind: 'events', events: to.upstream.events(greeting), end: 'clean' })
    const failed = await ask(question)
    expect(failed.status).toBe(502)
    expect(failed.headers.get(shouldRetry)).toBeNull()
    const answered = await ask(question)
    expect(answered.status).toBe(200)
    expect(from.client.streamedText(readEvents(answered.text))).toBe(greetingText)
  })

  test('not after several upstreams have failed', async () => {
    const { ask, one, two } = gateway()
    one.script('next', { kind: 'status', status: 500 })
    two.script('next', { kind: 'status', status: 500 })
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(reply.status).toBe(502)
    expect(reply.headers.get(shouldRetry)).toBe('false')
  })
})
