import { expect, test } from 'bun:test'
import { credentials, viaModel } from '../support/gateway/test-provision.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'
import { greeting } from '../support/tongues/tongue.ts'
import { tongues } from '../support/tongues/tongues.ts'

/** Two accounts at one upstream: neither knows the responses of the other. */
const gateway = withGateway({
  extend: (provision) => ({
    ...provision,
    upstreams: provision.upstreams.map((each) =>
      each.id === 'via-responses'
        ? {
            ...each,
            credentials: Object.entries(credentials).map(([name, value]) => ({ name, value })),
          }
        : each,
    ),
  }),
})

const { client, upstream } = tongues.responses
const path = '/v1/responses'

test('a response is read and deleted with whichever credential knows it', async () => {
  const { ask, one } = gateway()
  const body = JSON.stringify(upstream.reply({ ...greeting, id: 'resp_theirs' }))
  one.script('next', { kind: 'reply', body })
  const made = await ask({ key: 'any', path, body: client.body(viaModel('responses'), false) })
  expect(made.status).toBe(200)
  for (const knowing of Object.values(credentials)) {
    const isKnown = (headers: Readonly<Record<string, string>>) =>
      headers['authorization'] === `Bearer ${knowing}`
    one.script(({ headers }) => isKnown(headers), { kind: 'reply', body: '{"from":"them"}' })
    one.script(({ headers }) => !isKnown(headers), { kind: 'status', status: 404 })
    const read = await ask({ key: 'any', method: 'GET', path: `${path}/resp_theirs` })
    expect(read.status).toBe(200)
    expect(read.text).toBe('{"from":"them"}')
    one.reset()
  }
  one.script(() => true, { kind: 'status', status: 404 })
  expect((await ask({ key: 'any', method: 'GET', path: `${path}/resp_theirs` })).status).toBe(404)
  expect(one.requests).toHaveLength(2)
})
