import { describe, expect, test } from 'bun:test'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import { chatBody, type Reply } from '../../support/gateway/ask.ts'
import { type KeyName, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { allProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * Failures that one account provokes count against that account only: whatever it makes an upstream answer, the
 * requests of other accounts still reach that upstream.
 */

const gateway = withGateway()

/** Two accounts. */
const attacker: KeyName = 'plain'
const neighbour: KeyName = 'tight'
const poison = { messages: [{ role: 'user', content: 'poison' }] }

function poisoned(behaviour: Behaviour): void {
  gateway().one.script({ bodyIncludes: 'poison' }, behaviour)
}

async function attack(rounds: number): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let round = 0; round < rounds; round += 1)
    replies.push(await gateway().ask({ key: attacker, body: chatBody(poison) }))
  return replies
}

/** The upstream that answers the neighbour's next request. */
async function neighbourAt(): Promise<string | null> {
  const { ask, money } = gateway()
  const reply = await ask({ key: neighbour, body: chatBody() })
  expect(reply.status).toBe(200)
  return (await money.usageRow(reply.requestId)).upstream_id
}

const provoked: readonly { name: string; behaviour: Behaviour }[] = [
  ...[400, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529].map((status) => ({
    name: `a ${status}`,
    behaviour: { kind: 'status', status } as const,
  })),
  { name: 'a closed connection', behaviour: { kind: 'reset' } },
  {
    name: 'a 503 with a Retry-After of five minutes',
    behaviour: { kind: 'status', status: 503, retryAfterSeconds: 300 },
  },
  { name: 'a reply without an answer', behaviour: { kind: 'reply', body: '{"status":"queued"}' } },
  {
    name: 'a stream that was not requested',
    behaviour: { kind: 'events', events: [], end: 'cut' },
  },
]

describe('one account provokes', () => {
  // A 429 is a limit of the credential, whoever has reached it, except if only the size of one request is the cause.
  const ofOne = provoked.filter(({ name }) => name !== 'a 429')
  test.each(ofOne)('$name: other accounts are not affected', async ({ behaviour }) => {
    poisoned(behaviour)
    expect(await neighbourAt()).toBe('one')
    await attack(8)
    expect(await neighbourAt()).toBe('one')
    await attack(8)
    expect(await neighbourAt()).toBe('one')
    const [target] = gateway().node.routing.health.viewOf('one').targets
    // The displayed health follows the neighbour's responses.
    expect(target?.openUntilMs).toBe(0)
    expect(gateway().node.deadCredentials().size).toBe(0)
  })

  test('flagged input: the client gets the error, and the credential stays healthy', async () => {
    const message = 'Your input was flagged by moderation.'
    const linesBefore = gateway().logLines.length
    poisoned({ kind: 'status', status: 403, message })
    const [reply] = await attack(1)
    expect(reply?.status).toBe(403)
    expect(reply?.text).toContain(message)
    expect(gateway().node.deadCredentials().size).toBe(0)
    const lines = gateway().logLines.slice(linesBefore).join('')
    expect(lines.includes('"credential_rejected"')).toBe(false)
  })

  test('a request larger than the limit of a minute: other requests do not wait', async () => {
    const message =
      'Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 90000.'
    poisoned({ kind: 'status', status: 429, retryAfterSeconds: 60, message })
    await attack(1)
    expect(await neighbourAt()).toBe('one')
  })
})

describe('failures of two accounts count against the upstream', () => {
  test('failures of both open the breaker for all accounts', async () => {
    const { one, node } = gateway()
    one.script({}, { kind: 'status', status: 500 })
    for (const key of [attacker, attacker, attacker, neighbour, neighbour] as const)
      expect((await gateway().ask({ key, body: chatBody() })).status).toBe(200)
    const [target] = node.routing.health.viewOf('one').targets
    expect(target?.mayPass(gateway().clock.monotonicMs(), 'a third account')).toBe(false)
    expect(node.openBreakers()).toBe(1)
  })

  test('a credential that is rejected for both is unavailable', async () => {
    const { one, node, ask } = gateway()
    one.script({}, { kind: 'status', status: 403 })
    for (const key of [attacker, neighbour]) await ask({ key, body: chatBody() })
    expect(node.deadCredentials().size).toBe(1)
    expect(await neighbourAt()).toBe('two')
  })

  test('with a single account its failures show at once', async () => {
    const { one, node, ask } = gateway()
    one.script({}, { kind: 'status', status: 500 })
    for (let round = 0; round < 5; round += 1) await ask({ key: attacker, body: chatBody() })
    expect(node.openBreakers()).toBe(1)
    await ask({ key: attacker, body: chatBody() })
    expect(one.requests).toHaveLength(5)
  })
})

describe('in every protocol', () => {
  test.each(allProtocols)('$name: the 500s of one account affect only that account', async (to) => {
    const { ask, one, node } = gateway()
    const model = viaModel(to.name)
    const { client } = to
    const question = (key: KeyName, user: string) => {
      const body = JSON.stringify(client.body(model, false)).replace('Good morning', user)
      return ask({ key, path: client.path(model, false), body })
    }
    one.script({ bodyIncludes: 'poison' }, { kind: 'status', status: 500 })
    for (let round = 0; round < 8; round += 1) await question('any', 'poison')
    const [target] = node.routing.health.viewOf(`via-${to.name}`).targets
    const nowMs = gateway().clock.monotonicMs()
    expect(target?.mayPass(nowMs, 'acme')).toBe(false)
    expect(target?.mayPass(nowMs, 'tight')).toBe(true)
    expect((await question('tightAny', 'Hello')).status).toBe(200)
    expect(target?.openUntilMs).toBe(0)
  })
})
