import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { credentials, nativeModels } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import { greeting, greetingText } from '../../support/protocols/test-protocol.ts'
import { allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()

/** The protocol for each vendor: the client's protocol, or always the same. */
const spoken: Record<keyof typeof nativeModels, (client: ProtocolName) => ProtocolName> = {
  openai: (client) => (client === 'chat-completions' ? client : 'responses'),
  anthropic: () => 'messages',
  google: () => 'generate-content',
}

const rows = (['openai', 'anthropic', 'google'] as const).flatMap((vendor) =>
  allProtocols.map((from) => {
    const to = testProtocols[spoken[vendor](from.name)]
    return { vendor, from, to, title: `${from.name} at ${vendor}: ${to.name}` }
  }),
)

describe('an upstream with protocol any', () => {
  test.each(rows)('$title', async ({ vendor, from, to }) => {
    const { ask, one, money } = gateway()
    const model = nativeModels[vendor]
    for (const isStream of [false, true]) {
      one.reset()
      one.script(
        'next',
        isStream
          ? { kind: 'events', events: to.upstream.events(greeting), end: 'clean' }
          : { kind: 'reply', body: JSON.stringify(to.upstream.reply(greeting)) },
      )
      const body = from.client.body(model, isStream)
      const reply = await ask({ key: 'native', path: from.client.path(model, isStream), body })
      expect(reply.status).toBe(200)
      const text = isStream
        ? from.client.streamedText(readEvents(reply.text))
        : from.client.textOf(reply.json)
      expect(text).toBe(greetingText)
      const [sent] = one.requests
      expect(sent?.path).toBe(to.upstream.path(model, isStream))
      expect(sent?.headers).toMatchObject(to.upstream.headers(credentials.one))
      // With the same protocol the client's own bytes are sent, except for a field that the model does not accept.
      const own = JSON.stringify(body).replace(
        '"max_tokens":1000}',
        '"max_completion_tokens":1000}',
      )
      if (from === to && vendor === 'openai' && !isStream) expect(sent?.body).toBe(own)
      else if (from === to && vendor !== 'openai') expect(sent?.body).toBe(JSON.stringify(body))
      expect(await money.usageRow(reply.requestId)).toMatchObject({
        protocol: from.name,
        upstream_id: `native-${vendor}`,
        cost_nano: 4_000_000n,
      })
    }
  })
})
