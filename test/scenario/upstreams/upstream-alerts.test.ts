import { afterEach, describe, expect, test } from 'bun:test'
import { createAlert } from '../../../src/alerts/alert-store.ts'
import type { AlertKind } from '../../../src/alerts/definition/alert.ts'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { putLocalConditions } from '../../../src/alerts/local-conditions.ts'
import { sendMessage } from '../../../src/app/notices/deliver-messages.ts'
import { findLocalConditions } from '../../../src/app/notices/find-local-conditions.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { sendHttp } from '../../../src/http-out/outgoing-http.ts'
import { deliverDue } from '../../../src/outbox/deliver.ts'
import { openSmtp } from '../../../src/outbox/smtp.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { RecordedRequest } from '../../support/fake-upstream/recorded-request.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { openMailServer } from '../../support/outgoing/mail-server.ts'

const minuteMs = 60_000
const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

interface Hook {
  readonly kind: string
  readonly subject: string
  readonly text: string
}

/** Two gateways on one database, an alert by webhook and one by email, and the servers that receive them. */
async function openFixture(kind: AlertKind) {
  const first = await startGateway({ extend: withRouting })
  stops.push(() => first.stop())
  const second = await startGateway({ extend: withRouting, beside: first })
  stops.push(() => second.stop())
  const gateways = [first, second]
  const hooks: Hook[] = []
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      hooks.push((await request.json()) as Hook)
      return new Response(null, { status: 204 })
    },
  })
  stops.push(() => receiver.stop(true))
  const mailServer = await openMailServer()
  stops.push(() => mailServer.close())
  const smtp = {
    host: '127.0.0.1',
    port: mailServer.port,
    tls: 'off',
    from: 'gw@example.com',
    login: undefined,
  } as const
  const mail = openSmtp(smtp)
  const { engine } = first
  let nowMs = Date.now()
  const usual = { accountId: null, isEnabled: true, kinds: [kind], creditBelowNano: 1n }
  const rest = {
    keyExpiryDays: 7,
    spendFactor: 3,
    spendFloorNano: 1n,
    secret: undefined,
    language: 'en',
  } as const
  const tools = { vault: testVault, random: systemRandom, nowMs }
  await write(engine, nowMs, async (writing) => {
    const hook = { name: 'hook', channel: 'webhook', emails: [], url: receiver.url.href } as const
    await createAlert(writing, tools, {
      ...usual,
      ...rest,
      ...hook,
      secret: 'a-secret-of-twenty-characters',
    })
    const post = {
      name: 'post',
      channel: 'email',
      emails: ['ops@example.com'],
      url: undefined,
    } as const
    await createAlert(writing, tools, { ...usual, ...rest, ...post })
  })
  const webhooks = { send: sendHttp, brand: 'gateway', allowsPrivate: true }
  /** The work of every replica each minute, and the delivery of its messages. */
  const minute = async (): Promise<void> => {
    nowMs += minuteMs
    for (const [index, { node, clock }] of gateways.entries())
      await putLocalConditions(
        engine,
        `r${index}`,
        await findLocalConditions({ engine, clock, node }),
        nowMs,
      )
    // Both at once: another test covers the turns of replicas.
    await Promise.all(
      gateways.map((each) =>
        evaluateAlerts({ engine: each.engine, vault: testVault, random: systemRandom, nowMs }),
      ),
    )
    const clock = { nowMs: () => nowMs, monotonicMs: () => 0 }
    const needs = { engine, vault: testVault, clock, mail, webhooks }
    const begun = await deliverDue({
      engine,
      vault: testVault,
      nowMs: () => nowMs,
      send: (message) => sendMessage(needs, message),
      onOutcome: (_channel, outcome, _message, why) => expect([outcome, why]).toEqual(['sent', '']),
    })
    await Promise.all(begun.map(({ ended }) => ended))
  }
  const told = () => ({ hooks: hooks.length, mails: mailServer.mails.length })
  const standing = () =>
    engine.db.selectFrom('alert_crossing').select(['kind', 'subject']).execute()
  return { first, second, gateways, minute, told, hooks, mails: mailServer.mails, standing }
}

const down = { kind: 'status', status: 500 } as const
const shows = (credential: string) => (request: RecordedRequest) =>
  request.headers['authorization'] === `Bearer ${credential}`

interface Case {
  readonly kind: AlertKind
  readonly detail: string
  readonly model: string
  /** The time without requests. */
  readonly restMs: number
  fail(gateway: TestGateway): void
}

const cases: readonly Case[] = [
  {
    kind: 'upstream_down',
    detail: 'llama',
    model: 'llama-x',
    restMs: 10 * minuteMs,
    fail: ({ one }) => one.script({}, down),
  },
  {
    kind: 'upstream_down',
    detail: 'llama',
    model: 'llama-x',
    restMs: 10 * minuteMs,
    fail: ({ one }) => one.script({}, { kind: 'reset' }),
  },
  {
    kind: 'credential_rejected',
    detail: 'keys/first',
    model: 'gpt-keys',
    restMs: 11 * minuteMs,
    fail: ({ one }) => one.script(shows(credentials.one), { kind: 'status', status: 401 }),
  },
]

describe('a broken upstream is reported', () => {
  test.each(cases)('$kind of $detail: once, and again only after it was over', async (each) => {
    const { first, gateways, minute, told, hooks, mails, standing } = await openFixture(each.kind)
    const ask = async (at: TestGateway, times: number): Promise<void> => {
      for (let round = 0; round < times; round += 1) {
        const body = chatBody({ model: each.model, prompt_cache_key: crypto.randomUUID() })
        expect((await at.ask({ key: 'plain', body })).status).toBe(200)
      }
    }
    for (const gateway of gateways) await ask(gateway, 2)
    await minute()
    expect(told()).toEqual({ hooks: 0, mails: 0 })
    each.fail(first)
    // One replica notices it first, then the other.
    for (const gateway of gateways) {
      await ask(gateway, 8)
      await minute()
      await minute()
      expect(told()).toEqual({ hooks: 1, mails: 1 })
    }
    expect(hooks[0]).toMatchObject({ kind: each.kind, text: expect.stringContaining(each.detail) })
    expect(mails[0]?.raw).toContain(each.detail)
    for (const text of [JSON.stringify(hooks), mails[0]?.raw ?? ''])
      for (const secret of Object.values(credentials)) expect(text).not.toContain(secret)
    expect(await standing()).toHaveLength(2)
    // The upstream works again: the condition is over when the last replica has noticed it.
    first.one.reset()
    for (const [index, gateway] of gateways.entries()) {
      gateway.clock.passTime(each.restMs)
      await ask(gateway, 8)
      await minute()
      expect(await standing()).toHaveLength(index === 0 ? 2 : 0)
    }
    expect(told()).toEqual({ hooks: 1, mails: 1 })
    each.fail(first)
    await ask(first, 8)
    await minute()
    await minute()
    expect(told()).toEqual({ hooks: 2, mails: 2 })
  })
})
