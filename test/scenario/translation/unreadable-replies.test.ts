import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { allPairs } from '../../support/protocols/test-protocols.ts'

/*
 * Responses with status 200 that are no replies. The message is the same in every pair of protocols, and true: the
 * upstream never answered with an error status.
 */

const gateway = withGateway()

const unreadable = 'The upstream sent a response that cannot be read. Try again.'
const silent = 'The upstream failed while it was answering.'
const bodies: readonly [name: string, body: string, message: string][] = [
  ['a page', '<html><body>Sign in</body></html>', unreadable],
  ['nothing', '', unreadable],
  ['half of a reply', '{"choices": [{"message": {"content": "Hel', unreadable],
  ['a list', '[]', unreadable],
  ['an object of no protocol', '{"ok": true}', unreadable],
  ['an error without a message', '{"type": "error", "error": {"details": []}}', silent],
  ['an error with a message', '{"type": "error", "error": {"message": "No luck"}}', 'No luck'],
]

describe('a response with status 200 that is no reply', () => {
  for (const { pair, from, to } of allPairs) {
    test.each(bodies)(`%s, ${pair}`, async (_, body, message) => {
      const { ask, one, money, logLines, node } = gateway()
      one.script('next', { kind: 'reply', headers: { 'content-type': 'application/json' }, body })
      const model = viaModel(to.name)
      const reply = await ask({
        key: 'any',
        path: from.client.path(model, false),
        body: from.client.body(model, false),
      })
      node.routing.forget()
      expect(reply.status).toBe(502)
      expect(from.client.readFault(parseJson(reply.text)).message).toBe(message)
      expect(reply.text).not.toContain('answered with status')
      expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
      if (message !== unreadable) return
      const line = await eventually('the line', () =>
        logLines.find((each) => each.includes(reply.requestId) && each.includes('upstream_failed')),
      )
      expect(line).not.toContain('answered 502')
    })
  }
})
