import { describe, expect, test } from 'bun:test'
import type { AlertSource, Crossing } from '../../../src/alerts/alert-source.ts'
import type { AlertKind, AlertValues } from '../../../src/alerts/definition/alert.ts'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { groupLimits } from '../../../src/alerts/group-texts.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { Channel } from '../../../src/core/message-state.ts'
import type { Language } from '../../../src/core/text/language.ts'
import type { ClaimedMessage } from '../../../src/outbox/message.ts'
import { claimDue, listMessages, markSent } from '../../../src/outbox/outbox-store.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import {
  addAccount,
  addAlert,
  addKey,
  addKeys,
  dayMs,
  dollar,
  startMs,
  vault,
} from './alert-cases.ts'

const tools = { vault, random: systemRandom, nowMs: startMs }
const publicUrl = 'https://gw.example.com'
const keyCount = 1_500
const emails = ['one@example.com', 'two@example.com']
const url = 'https://hooks.example.com/x'
const secret = 's'.repeat(20)
const destinations: Readonly<Record<Channel, Partial<AlertValues>>> = {
  email: { channel: 'email', emails },
  webhook: { channel: 'webhook', emails: [], url, secret },
  slack: { channel: 'slack', emails: [], url },
}

const keyName = (index: number) => `key ${String(index).padStart(4, '0')}`

/** The key with the lowest number expires first. */
async function addManyKeys(engine: Engine, nameOf = keyName): Promise<void> {
  await addAccount(engine, 'a')
  const keys = Array.from({ length: keyCount }, (_, index) => ({
    id: `k${index}`,
    name: nameOf(index),
    expiresAtMs: startMs + dayMs + index * 60_000,
  }))
  await addKeys(engine, keys)
}

/** All messages in the order in which they are sent. */
async function sendAll(engine: Engine): Promise<ClaimedMessage[]> {
  const sent: ClaimedMessage[] = []
  for (;;) {
    const claimed = await claimDue(engine, { vault, nowMs: startMs })
    if (claimed.length === 0) return sent
    for (const message of claimed) {
      sent.push(message)
      await markSent(engine, message.seq, startMs)
    }
  }
}

interface HookBody {
  readonly id: string
  readonly kind: string
  readonly accountId: string | null
  readonly subject: string
  readonly title: string
  readonly text: string
  readonly values: Readonly<Record<string, string>>
  readonly conditions: readonly Omit<HookBody, 'id' | 'kind' | 'conditions'>[]
}

const mailOf = ({ content }: ClaimedMessage) =>
  'mail' in content ? content.mail : { subject: '', text: '', html: '' }
const textOf = ({ content }: ClaimedMessage) => ('body' in content ? content.body : '')
const hookOf = (message: ClaimedMessage) => JSON.parse(textOf(message)) as HookBody
const slackOf = (message: ClaimedMessage) => (JSON.parse(textOf(message)) as { text: string }).text

/** A source that finds these conditions. */
const finding = (kind: AlertKind, found: readonly Crossing[]): AlertSource => ({
  kind,
  find: async () => found,
})

describe.each(sharedFixtures('grouped'))('conditions that begin at once on $kind', (fixture) => {
  const evaluate = (engine: Engine, sources?: readonly AlertSource[]) =>
    evaluateAlerts({ engine, ...tools, publicUrl, ...(sources && { sources }) })

  test('an email lists the first ones, and links to all', async () => {
    const engine = await fixture.openMigrated()
    await addManyKeys(engine)
    const id = await addAlert(engine, { kinds: ['key_expiring'], ...destinations.email })
    expect((await evaluate(engine)).crossed).toHaveLength(keyCount)
    expect((await evaluate(engine)).crossed).toEqual([])
    const sent = await sendAll(engine)
    expect(sent.map(({ target }) => target).toSorted()).toEqual(emails)
    for (const message of sent) {
      const { subject, text, html } = mailOf(message)
      expect(subject).toBe('Keys expire soon: 1,500')
      const link = `${publicUrl}/console/operate/alerts?alert=${id}`
      const lines = Array.from(
        { length: groupLimits.listedMax },
        (_, index) =>
          `- key ${String(index).padStart(4, '0')} (account A): expires at 2026-09-05 ${new Date(
            startMs + dayMs + index * 60_000,
          )
            .toISOString()
            .slice(11, 16)} UTC`,
      )
      expect(text).toBe(
        [
          '1,500 keys expire soon. Extend the keys or replace them.',
          [...lines, 'and 1,480 more'].join('\n'),
          `${link}\n`,
        ].join('\n\n'),
      )
      expect(html).toContain(`<a href="${link}">Open the alert in the console</a>`)
      expect(html.match(/<li>/g)).toHaveLength(groupLimits.listedMax)
    }
    const listed = await listMessages(engine.db, { accountIds: undefined, rowsMax: 9 })
    expect(listed.map(({ purpose, title }) => [purpose, title])).toEqual(
      emails.map(() => ['key_expiring', 'Keys expire soon: 1,500']),
    )
  })

  test('a webhook gets each of them as data, once and in order', async () => {
    const engine = await fixture.openMigrated()
    await addManyKeys(engine)
    await addAlert(engine, { kinds: ['key_expiring'], ...destinations.webhook })
    await evaluate(engine)
    await evaluate(engine)
    const bodies = (await sendAll(engine)).map(hookOf)
    expect(bodies).toHaveLength(keyCount / groupLimits.hookConditionsMax)
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(bodies.length)
    const conditions = bodies.flatMap((body) => body.conditions)
    expect(conditions.map(({ subject }) => subject)).toEqual(
      Array.from({ length: keyCount }, (_, index) => `k${index}`),
    )
    for (const { conditions: some, kind, title, text, ...first } of bodies) {
      expect(some).toHaveLength(groupLimits.hookConditionsMax)
      expect(kind).toBe('key_expiring')
      expect(title).toBe('Keys expire soon: 100')
      expect(text).toContain('\nand 80 more\n')
      // A receiver of single conditions reads the first one.
      expect(some[0]).toMatchObject({
        accountId: first.accountId,
        subject: first.subject,
        values: first.values,
      })
    }
    expect(conditions[1]).toEqual({
      accountId: 'a',
      subject: 'k1',
      title: 'Key expires soon: key 0001',
      text: 'The key key 0001 of the account A expires at 2026-09-05 03:01 UTC. Extend the key or replace it.',
      values: { key: 'key 0001', account: 'A', expires: '2026-09-05T03:01:00.000Z' },
    })
  })

  test.each([
    ['short names', keyName],
    ['long names', (index: number) => `${keyName(index)} ${'&'.repeat(150)}`],
  ])(
    'a Slack-compatible message with %s is short enough for each receiver',
    async (_name, nameOf) => {
      const engine = await fixture.openMigrated()
      await addManyKeys(engine, nameOf)
      await addAlert(engine, { kinds: ['key_expiring'], ...destinations.slack })
      await evaluate(engine)
      const [message, ...others] = await sendAll(engine)
      expect(others).toEqual([])
      const text = message ? slackOf(message) : ''
      expect(text.length).toBeLessThanOrEqual(groupLimits.slackCharactersMax)
      expect(text).toStartWith('*Keys expire soon: 1,500*\n1,500 keys expire soon.')
      const listed = text.match(/^• .* UTC$/gm)?.length ?? 0
      expect(listed).toBeGreaterThan(0)
      expect(text).toContain(`\nand ${(keyCount - listed).toLocaleString('en-US')} more\n`)
      expect(text).toEndWith(`\n${publicUrl}/console/operate/alerts?alert=${message?.alertId}`)
    },
  )

  test('a Slack-compatible message about one key with the longest name is cut', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a')
    await addKeys(engine, [{ id: 'k', name: '<'.repeat(333), expiresAtMs: startMs + dayMs }])
    await addAlert(engine, { kinds: ['key_expiring'], ...destinations.slack })
    await evaluate(engine)
    const [message] = await sendAll(engine)
    const text = message ? slackOf(message) : ''
    expect(text.length).toBeLessThanOrEqual(groupLimits.slackCharactersMax)
    expect(text).toMatch(/^\*Key expires soon: (?:&lt;){333}\*\nThe key (?:&lt;)+…$/)
  })

  test('a condition that begins later has a message of its own', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a')
    for (const id of ['k1', 'k2']) await addKey(engine, id, startMs + dayMs)
    await addAlert(engine, { kinds: ['key_expiring'], ...destinations.webhook })
    await evaluate(engine)
    await addKey(engine, 'k3', startMs + dayMs)
    await evaluate(engine)
    const bodies = (await sendAll(engine)).map(hookOf)
    expect(bodies.map(({ title }) => title)).toEqual([
      'Keys expire soon: 2',
      'Key expires soon: k3',
    ])
    const { conditions, text, title, accountId, subject, values } = bodies[1] ?? {}
    expect(conditions).toEqual([{ accountId, subject, title, text, values }] as never)
  })

  test('each kind has a message of its own, and the message of one account links to its page', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a', { nano: 1n })
    for (const id of ['k1', 'k2']) await addKey(engine, id, startMs + dayMs)
    const id = await addAlert(engine, {
      accountId: 'a',
      kinds: ['key_expiring', 'credit_low'],
      ...destinations.slack,
    })
    await evaluate(engine)
    const texts = (await sendAll(engine)).map(slackOf)
    expect(texts).toEqual([
      expect.stringMatching(/^\*Low credit: A\*\n.*\.$/),
      expect.stringContaining(`\n${publicUrl}/console/alerts?alert=${id}`),
    ])
  })

  test('without publicUrl, a message names the page instead of a link', async () => {
    const engine = await fixture.openMigrated()
    await addManyKeys(engine)
    await addAlert(engine, { kinds: ['key_expiring'], ...destinations.slack })
    await evaluateAlerts({ engine, ...tools })
    const [message] = await sendAll(engine)
    const text = message ? slackOf(message) : ''
    expect(text).not.toContain('http')
    expect(text).toEndWith(' more\nThe page "Alerts" of the console shows all of them.')
  })

  test('two replicas at once send one message', async () => {
    const [one, two] = await fixture.openTwo()
    await addManyKeys(one)
    await addAlert(one, { kinds: ['key_expiring'], ...destinations.slack })
    const reports = await Promise.all([one, two, one, two].map((engine) => evaluate(engine)))
    expect(reports.flatMap(({ crossed }) => crossed)).toHaveLength(keyCount)
    expect(await sendAll(one)).toHaveLength(1)
  })

  test('what cannot be stored is reported later, in one message', async () => {
    const engine = await fixture.openMigrated()
    await addManyKeys(engine)
    await addAlert(engine, { kinds: ['key_expiring'], ...destinations.slack })
    const seal = () => {
      throw new Error('cannot seal')
    }
    const broken = { ...vault, seal }
    const report = await evaluateAlerts({ engine, ...tools, vault: broken, publicUrl })
    expect([report.crossed.length, report.failed.length]).toEqual([0, 1])
    expect((await evaluate(engine)).crossed).toHaveLength(keyCount)
    expect(await sendAll(engine)).toHaveLength(1)
  })

  const account = (name: string) => ({ subject: name, accountId: name, values: { account: name } })
  const owner = (name: string) => ({
    subject: name,
    accountId: 'acme',
    values: { owner: name, account: 'Acme' },
    amounts: { spent: 8n * dollar },
    limits: { limit: 10n * dollar },
  })
  const resets = { resets: Date.UTC(2026, 10, 20) }
  const groups: readonly [AlertKind, Language, readonly Crossing[], string][] = [
    [
      'credit_low',
      'en',
      [
        {
          ...account('Acme'),
          amounts: { balance: 4n * dollar },
          limits: { threshold: 5n * dollar },
        },
        { ...account('Globex'), amounts: { balance: -dollar }, limits: { threshold: 5n * dollar } },
      ],
      `*Low credit: 2 accounts*
The balances of 2 accounts are below $5.00. Add credit: requests are rejected when a balance runs out.
• Acme: $4.00
• Globex: -$1.00`,
    ],
    [
      'budget_low',
      'en',
      [
        { ...owner('ann'), times: resets },
        { ...owner('bot'), variant: 'total' },
        { ...owner('cy'), times: resets, variant: 'ended' },
      ],
      `*Low budget: 3 budgets*
3 budgets are almost spent, or were when their period ended. To let requests continue, raise the budgets.
• ann (account Acme): $8.00 of $10.00 spent, resets at 2026-11-20 00:00 UTC
• bot (account Acme): $8.00 of $10.00 spent, never resets
• cy (account Acme): $8.00 of $10.00 spent when the period ended at 2026-11-20 00:00 UTC`,
    ],
    [
      'spend_unusual',
      'en',
      ['Acme', 'Globex'].map((name) => ({
        ...account(name),
        values: { account: name, day: '2026-11-19', factor: '3' },
        amounts: { spend: 40n * dollar, usual: dollar },
      })),
      `*Unusual spend: 2 accounts*
2 accounts have spent more than 3 times their usual spend of a day. Check the request log.
• Acme: $40.00 on 2026-11-19 (UTC), usually $1.00 a day
• Globex: $40.00 on 2026-11-19 (UTC), usually $1.00 a day`,
    ],
    [
      'upstream_down',
      'en',
      ['one', 'two'].map((subject) => ({ subject, accountId: null, values: { detail: subject } })),
      `*Upstreams down: 2*
Requests to 2 upstreams keep failing, so the gateway has stopped sending them there. Models with another route are still served. Check the upstreams.
• one
• two`,
    ],
    [
      'credential_rejected',
      'en',
      ['one', 'two'].map((subject) => ({
        subject,
        accountId: null,
        values: { detail: `up/${subject}` },
      })),
      `*Credentials rejected: 2*
Upstreams reject 2 credentials, so the gateway does not use these credentials for now. Enter new credentials.
• up/one
• up/two`,
    ],
    [
      'ledger_finding',
      'en',
      ['Acme', 'Globex'].map(account),
      `*Ledgers do not balance: 2 accounts*
The self-audit has stopped 2 accounts, because their ledgers do not balance. Run "tollgate audit" and open the accounts in the console.
• Acme
• Globex`,
    ],
    [
      'credit_low',
      'zh',
      ['Acme', 'Globex'].map((name) => ({
        ...account(name),
        amounts: { balance: dollar },
        limits: { threshold: 5n * dollar },
      })),
      `*余额不足：2 个账户*
2 个账户的余额低于 $5.00。请及时充值，否则请求将被拒绝。
• Acme：$1.00
• Globex：$1.00`,
    ],
    [
      'key_expiring',
      'zh',
      Array.from({ length: groupLimits.listedMax + 5 }, (_, index) => ({
        subject: `k${index}`,
        accountId: 'acme',
        values: { key: `k${index}`, account: 'Acme' },
        times: { expires: resets.resets },
      })),
      `*密钥即将过期：25 个*
25 个密钥即将过期。请延长有效期或更换密钥。
${Array.from({ length: groupLimits.listedMax }, (_, index) => `• k${index}（账户 Acme）：2026-11-20 00:00 UTC 过期`).join('\n')}
另有 5 项`,
    ],
  ]
  test.each(groups)('%s in %s', async (kind, language, found, text) => {
    const engine = await fixture.openMigrated()
    const id = await addAlert(engine, { kinds: [kind], language, ...destinations.slack })
    await evaluate(engine, [finding(kind, found)])
    const [message] = await sendAll(engine)
    expect(message && slackOf(message)).toBe(
      `${text}\n${publicUrl}/console/operate/alerts?alert=${id}`,
    )
  })
})
