import { afterEach, describe, expect, test } from 'bun:test'
import { createAlert, deleteAlert, findHook } from '../../../src/alerts/alert-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { createSendHttp } from '../../../src/http-out/outgoing-http.ts'
import { type DeliveryDeps, deliverDue } from '../../../src/outbox/deliver.ts'
import { DeliveryFailure, type NewMessage, outboxLimits } from '../../../src/outbox/message.ts'
import {
  claimDue,
  enqueue,
  listMessages,
  markFailed,
  markSent,
  sweepOutbox,
} from '../../../src/outbox/outbox-store.ts'
import { postWebhook, signatureOf } from '../../../src/outbox/webhook.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

const vault = createVault(new Uint8Array(32).fill(3))
const startMs = 1_800_000_000_000
const secret = 'a-secret-of-twenty-characters'

const letter: NewMessage = {
  purpose: 'password-reset',
  accountId: null,
  alertId: null,
  channel: 'email',
  target: 'ann@example.com',
  content: { mail: { subject: 's', text: 'https://gw/console/new-password#a-token', html: '' } },
}

const put = (engine: Engine, message: NewMessage = letter, nowMs = startMs) =>
  write(engine, nowMs, (writing) => enqueue(writing, { vault, nowMs }, message))

/** Returns how many messages were tried. */
async function deliverAll(deps: DeliveryDeps): Promise<number> {
  const begun = await deliverDue(deps)
  await Promise.all(begun.map(({ ended }) => ended))
  return begun.length
}

/** An outbox whose messages succeed or fail as `send` decides. */
function sending(engine: Engine, send: (target: string) => Promise<void>) {
  let nowMs = startMs
  const outcomes: string[] = []
  return {
    outcomes,
    nowMs: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms
    },
    turn: () =>
      deliverAll({
        engine,
        vault,
        nowMs: () => nowMs,
        send: ({ target }) => send(target),
        onOutcome: (_channel, outcome) => outcomes.push(outcome),
      }),
  }
}

describe.each(sharedFixtures('outbox'))('the outbox on $kind', (fixture) => {
  test('a message is sent once, and its content is deleted', async () => {
    const engine = await fixture.openMigrated()
    await put(engine)
    const [waiting] = await listMessages(engine.db, { accountIds: undefined, rowsMax: 10 })
    expect(waiting?.payload_sealed).not.toContain('a-token')
    const box = sending(engine, async () => undefined)
    expect(await box.turn()).toBe(1)
    expect(await box.turn()).toBe(0)
    const rows = await listMessages(engine.db, { accountIds: undefined, rowsMax: 10 })
    expect(rows).toMatchObject([
      { state: 'sent', attempts: 1, payload_sealed: null, last_error: null, ended_at: startMs },
    ])
  })

  test('two replicas never send the same message', async () => {
    const [one, two] = await fixture.openTwo()
    for (let each = 0; each < 6; each += 1) await put(one)
    const claims = await Promise.all(
      [one, two, one, two].map((engine) => claimDue(engine, { vault, nowMs: startMs })),
    )
    const taken = claims.flat().map(({ seq }) => seq)
    expect(new Set(taken).size).toBe(taken.length)
    expect(taken.length).toBe(6)
  })

  test('a message of a replica that has died is sent by another one', async () => {
    const engine = await fixture.openMigrated()
    await put(engine)
    expect(await claimDue(engine, { vault, nowMs: startMs })).toHaveLength(1)
    const early = startMs + outboxLimits.claimMs - 1
    expect(await claimDue(engine, { vault, nowMs: early })).toEqual([])
    const late = startMs + outboxLimits.claimMs
    expect(await claimDue(engine, { vault, nowMs: late })).toMatchObject([{ attempts: 2 }])
  })

  test('a replica that comes back late changes nothing about a message that another one has taken', async () => {
    const engine = await fixture.openMigrated()
    await put(engine)
    const [first] = await claimDue(engine, { vault, nowMs: startMs })
    const lateMs = startMs + outboxLimits.claimMs
    const [second] = await claimDue(engine, { vault, nowMs: lateMs })
    if (!first || !second) throw new Error('both replicas must have taken the message')
    const late = { error: 'too late', isPermanent: true, nowMs: lateMs }
    expect(await markFailed(engine, first, late)).toBeUndefined()
    expect(await claimDue(engine, { vault, nowMs: lateMs })).toEqual([])
    await markSent(engine, second.seq, lateMs)
    for (const isPermanent of [false, true])
      expect(await markFailed(engine, second, { ...late, isPermanent })).toBeUndefined()
    const rows = await listMessages(engine.db, { accountIds: undefined, rowsMax: 10 })
    expect(rows).toMatchObject([{ state: 'sent', last_error: null }])
  })

  test('a message that cannot be decrypted is given up and delays no other', async () => {
    const engine = await fixture.openMigrated()
    for (let each = 0; each < 3; each += 1) await put(engine)
    await engine.db
      .updateTable('outbox')
      .set({ payload_sealed: 'x' })
      .where('seq', '=', 2)
      .execute()
    const box = sending(engine, async () => undefined)
    expect(await box.turn()).toBe(2)
    const rows = await listMessages(engine.db, { accountIds: undefined, rowsMax: 10 })
    expect(rows.map(({ state }) => state)).toEqual(['sent', 'failed', 'sent'])
    expect(rows[1]?.last_error).toBe('The stored message cannot be decrypted.')
  })

  test.each(['claimed', 'failed'])(
    'a message that was %s while the clock of the database was a year ahead is sent',
    async (what) => {
      const engine = await fixture.openMigrated()
      await put(engine)
      const aheadMs = startMs + 365 * 24 * 60 * 60_000
      const [message] = await claimDue(engine, { vault, nowMs: aheadMs })
      const failure = { error: 'x', isPermanent: false, nowMs: aheadMs }
      if (what === 'failed' && message) await markFailed(engine, message, failure)
      expect(await claimDue(engine, { vault, nowMs: startMs })).toHaveLength(1)
      expect(await claimDue(engine, { vault, nowMs: startMs })).toEqual([])
    },
  )

  test('a failed message is retried with growing pauses, and then given up', async () => {
    const engine = await fixture.openMigrated()
    await put(engine)
    const box = sending(engine, () => Promise.reject(new DeliveryFailure('451 later')))
    for (const pauseMs of outboxLimits.pausesMs) {
      expect(await box.turn()).toBe(1)
      box.pass(pauseMs - 1)
      expect(await box.turn()).toBe(0)
      box.pass(1)
    }
    expect(await box.turn()).toBe(1)
    box.pass(365 * 24 * 60 * 60_000)
    expect(await box.turn()).toBe(0)
    const rows = await listMessages(engine.db, { accountIds: undefined, rowsMax: 10 })
    const attempts = outboxLimits.pausesMs.length + 1
    expect(rows).toMatchObject([
      { state: 'failed', attempts, last_error: '451 later', payload_sealed: null },
    ])
    expect(box.outcomes.at(-1)).toBe('failed')
  })

  test('a permanent failure is not retried', async () => {
    const engine = await fixture.openMigrated()
    await put(engine)
    const refuse = () => Promise.reject(new DeliveryFailure('550 no', { isPermanent: true }))
    const box = sending(engine, refuse)
    await box.turn()
    box.pass(365 * 24 * 60 * 60_000)
    expect(await box.turn()).toBe(0)
    expect(box.outcomes).toEqual(['failed'])
  })

  test('old messages are deleted, waiting ones are not', async () => {
    const engine = await fixture.openMigrated()
    await put(engine)
    const box = sending(engine, async () => undefined)
    await box.turn()
    await put(engine)
    const lateMs = startMs + outboxLimits.keptMs
    expect(await sweepOutbox(engine, lateMs - 1)).toBe(0)
    expect(await sweepOutbox(engine, lateMs)).toBe(1)
    const rows = await listMessages(engine.db, { accountIds: undefined, rowsMax: 10 })
    expect(rows).toMatchObject([{ state: 'waiting' }])
  })

  test('one webhook cannot fill the outbox', async () => {
    const engine = await fixture.openMigrated()
    const hook: NewMessage = {
      ...letter,
      channel: 'webhook',
      alertId: 'x',
      content: { body: '{}' },
    }
    await write(engine, startMs, async (writing) => {
      const tools = { vault, nowMs: startMs }
      for (let each = 0; each < outboxLimits.laneMax; each += 1) await enqueue(writing, tools, hook)
      expect(await enqueue(writing, tools, hook)).toBe(false)
      expect(await enqueue(writing, tools, { ...hook, alertId: 'y' })).toBe(true)
    })
  })
})

type Answer = Response | 'silence' | 'cut'

/** A receiver of webhooks on a real socket, which gives the scripted answers and then 200. */
function openReceiver(script: readonly Answer[]) {
  const requests: { body: string; headers: Headers; path: string }[] = []
  const untilClosed = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const answer = script[requests.length] ?? new Response('ok')
      const path = new URL(request.url).pathname
      requests.push({ body: await request.text(), headers: request.headers, path })
      if (answer === 'silence') await untilClosed.promise
      return answer instanceof Response ? answer : new Response(null, { status: 500 })
    },
  })
  return {
    requests,
    url: `http://127.0.0.1:${server.port}/hook?token=hidden`,
    close: async () => {
      untilClosed.resolve()
      await server.stop(true)
    },
  }
}

const closings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

describe.each(sharedFixtures('webhooks'))('webhooks on $kind', (fixture) => {
  async function open(
    script: readonly Answer[],
    {
      channel = 'webhook',
      allowsPrivate = true,
    }: { channel?: 'webhook' | 'slack'; allowsPrivate?: boolean } = {},
  ) {
    const engine = await fixture.openMigrated()
    const receiver = openReceiver(script)
    closings.push(receiver.close)
    const id = await write(engine, startMs, (writing) =>
      createAlert(
        writing,
        { vault, random: systemRandom, nowMs: startMs },
        {
          accountId: null,
          name: 'n',
          channel,
          emails: [],
          url: receiver.url,
          secret: channel === 'webhook' ? secret : undefined,
          kinds: ['credit_low'],
          creditBelowNano: 1n,
          keyExpiryDays: 1,
          spendFactor: 2,
          spendFloorNano: 1n,
          language: 'en',
          isEnabled: true,
        },
      ),
    )
    let nowMs = startMs
    const send = createSendHttp()
    const turn = () =>
      deliverAll({
        engine,
        vault,
        nowMs: () => nowMs,
        send: async ({ seq, content }) => {
          const hook = await findHook(engine.db, vault, id)
          if (!hook || 'mail' in content) throw new Error('the alert must exist')
          const tools = {
            send,
            brand: 'gateway',
            allowsPrivate,
            nowMs: () => nowMs,
            attemptMs: 300,
          }
          await postWebhook(tools, { ...hook, body: content.body, deliveryId: String(seq) })
        },
        onOutcome: () => undefined,
      })
    const tell = (body: string) =>
      put(engine, {
        ...letter,
        purpose: 'credit_low',
        channel,
        alertId: id,
        target: 'h',
        content: { body },
      })
    const rows = () => listMessages(engine.db, { accountIds: undefined, rowsMax: 10 })
    return {
      engine,
      receiver,
      turn,
      tell,
      rows,
      id,
      pass: (ms: number) => {
        nowMs += ms
      },
    }
  }

  test('a receiver can verify the signature over time and body', async () => {
    const { receiver, turn, tell } = await open([])
    await tell('{"kind":"credit_low"}')
    await turn()
    const [request] = receiver.requests
    const seconds = Number(request?.headers.get('x-gateway-timestamp'))
    expect(seconds).toBe(startMs / 1_000)
    const signed = signatureOf(secret, seconds, '{"kind":"credit_low"}')
    expect(request?.headers.get('x-gateway-signature')).toBe(`v1=${signed}`)
    expect(signatureOf(secret, seconds + 1, request?.body ?? '')).not.toBe(signed)
    expect(request?.headers.get('x-gateway-delivery')).toMatch(/^\d+$/)
  })

  test('a Slack-compatible webhook gets no signature', async () => {
    const { receiver, turn, tell } = await open([], { channel: 'slack' })
    await tell('{"text":"x"}')
    await turn()
    expect(receiver.requests[0]?.headers.get('x-gateway-signature')).toBeNull()
  })

  const failures: readonly [string, Answer, string][] = [
    ['500', new Response(null, { status: 500 }), 'HTTP 500'],
    ['429', new Response(null, { status: 429 }), 'HTTP 429'],
    [
      'a redirect',
      new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } }),
      'Redirects are not followed',
    ],
    ['a receiver that does not answer', 'silence', 'did not answer in time'],
  ]
  for (const [name, answer, words] of failures) {
    test(`${name} is retried, and later messages keep their order`, async () => {
      const { receiver, turn, tell, rows, pass } = await open([answer])
      for (const body of ['1', '2', '3']) await tell(body)
      expect(await turn()).toBe(1)
      expect(await turn()).toBe(0)
      const [, , first] = await rows()
      expect(first?.last_error).toContain(words)
      expect(first?.last_error).not.toContain('hidden')
      pass(outboxLimits.pausesMs[0] ?? 0)
      for (let each = 0; each < 3; each += 1) expect(await turn()).toBe(1)
      expect(receiver.requests.map(({ body }) => body)).toEqual(['1', '1', '2', '3'])
      const ids = receiver.requests.map(({ headers }) => headers.get('x-gateway-delivery'))
      expect(ids[0]).toBe(ids[1] ?? '')
    })
  }

  test('a receiver that answers 410 gets no further attempt', async () => {
    const { turn, tell, rows } = await open([new Response(null, { status: 410 })])
    await tell('1')
    await turn()
    expect(await rows()).toMatchObject([{ state: 'failed', attempts: 1 }])
  })

  test('a private address is refused unless it is allowed', async () => {
    const { receiver, turn, tell, rows } = await open([], { allowsPrivate: false })
    await tell('1')
    await turn()
    expect(receiver.requests).toEqual([])
    expect((await rows())[0]?.last_error).toContain('privateWebhooks')
  })

  test('a deleted alert sends nothing more', async () => {
    const { engine, receiver, turn, tell, rows, id } = await open([])
    await tell('1')
    await write(engine, startMs, (writing) => deleteAlert(writing, id, startMs))
    expect(await turn()).toBe(0)
    expect(receiver.requests).toEqual([])
    expect(await rows()).toMatchObject([{ state: 'failed', last_error: 'The alert was deleted.' }])
  })
})
