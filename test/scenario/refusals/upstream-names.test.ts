import { describe, expect, test } from 'bun:test'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { allProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * Clients must not learn which upstream serves them, under which model name and with which credential. An upstream's
 * error may contain these names; the response to a key must not.
 */

const gateway = withGateway()
/** The upstream's name for gpt-y. */
const theirName = 'their-name-for-y'
const statuses = [400, 404, 413, 422, 429, 500, 503, 529]

describe('an upstream that names itself in its refusal', () => {
  for (const { name, client } of allProtocols) {
    test.each(statuses)(`${name}: %d`, async (status) => {
      const { ask, one } = gateway()
      const host = new URL(one.url).host
      const message = `The model '${theirName}' (not ${theirName}-2) is not served at http://${host}/v1/.`
      for (const isStream of [false, true]) {
        one.script({}, { kind: 'status', status, message })
        const path = client.path('gpt-y', isStream)
        const reply = await ask({ key: 'plain', path, body: client.body('gpt-y', isStream) })
        expect(reply.status).toBeGreaterThanOrEqual(400)
        const told = `${JSON.stringify([...reply.headers])}\n${reply.text}`
        for (const hidden of [host, '127.0.0.1', `'${theirName}'`, '"one"', 'upstream one']) {
          expect(told).not.toContain(hidden)
        }
        // The client sees the requested name, and all other text unchanged.
        if (status < 429) {
          expect(reply.text).toContain("The model 'gpt-y' (not their-name-for-y-2)")
        }
      }
    })
  }
})

describe('a model that is called', () => {
  for (const { name, client } of allProtocols) {
    test(`${name}: no header names its upstream`, async () => {
      const { ask, one } = gateway()
      for (const isStream of [false, true]) {
        const path = client.path('gpt-y', isStream)
        const reply = await ask({ key: 'plain', path, body: client.body('gpt-y', isStream) })
        expect(reply.status).toBe(200)
        const told = JSON.stringify([...reply.headers])
        for (const hidden of [new URL(one.url).host, theirName, '"one"', 'sk-']) {
          expect(told).not.toContain(hidden)
        }
      }
    })
  }

  test('the lists of models name no upstream', async () => {
    const { ask, one } = gateway()
    for (const path of ['/v1/models', '/v1beta/models', '/v1/models/gpt-y']) {
      const reply = await ask({ key: 'plain', method: 'GET', path })
      expect(reply.status).toBe(200)
      for (const hidden of [new URL(one.url).host, theirName, '"one"']) {
        expect(reply.text).not.toContain(hidden)
      }
    }
  })
})
