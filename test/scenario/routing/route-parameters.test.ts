import { expect, test } from 'bun:test'
import type { ProvisionRoute } from '../../../src/config/provision.ts'
import { listAttempts } from '../../../src/usage/list-attempts.ts'
import { readNote } from '../../../src/usage/read-note.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const parameters: ProvisionRoute['parameters'] = {
  drop: ['seed'],
  clamp: { temperature: [0, 1] },
  default: { top_p: 0.9 },
  rename: { user: 'end_user' },
  outputLimit: 'max_completion_tokens',
  headers: { 'x-team': 'red' },
}

const gateway = withGateway({
  extend: (provision) => ({
    ...provision,
    upstreams: provision.upstreams.map((each) =>
      each.id === 'one'
        ? {
            ...each,
            models: each.models.map((route) =>
              route.model === 'gpt-y' ? { ...route, parameters } : route,
            ),
          }
        : each,
    ),
  }),
})

const sent =
  '{"model":"gpt-y","big":12345678901234567890, "seed":7,"max_tokens":5,"temperature":1.5,"user":"u","messages":[{"role":"user","content":"hi"}]}'

test('the request is sent with the parameters of its route, and the log records them', async () => {
  const { ask, one, money, engine } = gateway()
  const { status, requestId } = await ask({ key: 'plain', body: sent })
  expect(status).toBe(200)
  const [request] = one.requests
  expect(request?.body).toBe(
    '{"model":"their-name-for-y","big":12345678901234567890,"max_completion_tokens":5,"temperature":1,"end_user":"u","messages":[{"role":"user","content":"hi"}],"top_p":0.9}',
  )
  expect(request?.headers['x-team']).toBe('red')
  expect(request?.headers['authorization']).toBe(`Bearer ${credentials.one}`)
  await money.usageRow(requestId)
  const [attempt] = await listAttempts(engine, requestId)
  expect(attempt).toMatchObject({ upstreamId: 'one', credential: 'sk-...6d5e', status: 200 })
  expect(readNote(attempt?.note ?? '')).toMatchObject({
    changes: expect.arrayContaining([
      { change: 'dropped', field: 'seed' },
      { change: 'clamped', field: 'temperature', to: '1' },
      { change: 'set', field: 'top_p' },
      { change: 'sent', field: 'x-team' },
    ]),
  })
})

test('a route without a policy gets the client’s own bytes', async () => {
  const { ask, one } = gateway()
  const body = sent.replace('gpt-y', 'gpt-x')
  expect((await ask({ key: 'plain', body })).status).toBe(200)
  expect(one.requests[0]?.body).toBe(body)
  expect(one.requests[0]?.headers['x-team']).toBeUndefined()
})
