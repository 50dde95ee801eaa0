import { describe, expect, test } from 'bun:test'
import { type AlertSource, crossingsMax } from '../../../src/alerts/alert-source.ts'
import type { AlertKind } from '../../../src/alerts/definition/alert.ts'
import { evaluateAlerts, evaluateInTurn, evaluationLimits } from '../../../src/alerts/evaluate.ts'
import { hookBody } from '../../../src/alerts/hook-body.ts'
import { localConditionLastsMs, putLocalConditions } from '../../../src/alerts/local-conditions.ts'
import { medianOf } from '../../../src/alerts/sources/spend-unusual.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { claimDue, listMessages } from '../../../src/outbox/outbox-store.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import {
  addAccount,
  addAlert,
  addKey,
  alertCases,
  dayMs,
  dollar,
  see,
  spend,
  startMs,
  vault,
} from './alert-cases.ts'

const evaluateNow = (engine: Engine, nowMs = startMs) =>
  evaluateAlerts({ engine, vault, random: systemRandom, nowMs })

describe.each(sharedFixtures('alerts'))('alerts on $kind', (fixture) => {
  describe.each(alertCases)('$kind', (each) => {
    const { kind, storedAs = kind, subject, id, words, quiet, cross, end, again } = each
    test('crosses once, and again only when it was over', async () => {
      const engine = await fixture.openMigrated()
      await addAccount(engine, 'a')
      await addAlert(engine, { kinds: [kind] })
      const crossed = async () => (await evaluateNow(engine)).crossed
      await quiet(engine)
      expect(await crossed()).toEqual([])
      await cross(engine)
      expect(await crossed()).toEqual([kind])
      expect(await crossed()).toEqual([])
      const [message] = await claimDue(engine, { vault, nowMs: startMs })
      expect(message).toMatchObject({ purpose: kind, target: 'ops@example.com', channel: 'email' })
      const { content } = message ?? {}
      expect(content && 'mail' in content && content.mail.text).toContain(words)
      const [listed] = await listMessages(engine.db, { accountIds: undefined, rowsMax: 1 })
      const mailSubject = content && 'mail' in content ? content.mail.subject : undefined
      expect(listed?.title).toBe(mailSubject ?? 'a mail with a subject')
      const rows = await engine.db
        .selectFrom('alert_crossing')
        .selectAll()
        .where('kind', '=', storedAs)
        .execute()
      expect(rows).toMatchObject([{ kind: storedAs, subject, since: startMs }])
      await end(engine)
      expect(await crossed()).toEqual([])
      await again(engine)
      expect(await crossed()).toEqual([kind])
      expect(await listMessages(engine.db, { accountIds: undefined, rowsMax: 9 })).toHaveLength(2)
    })

    test('a webhook names the subject by its id', async () => {
      const engine = await fixture.openMigrated()
      await addAccount(engine, 'a')
      const url = 'https://hooks.example.com/x'
      await addAlert(engine, { kinds: [kind], channel: 'webhook', url, secret: 'x'.repeat(20) })
      await quiet(engine)
      await cross(engine)
      await evaluateNow(engine)
      const [message] = await claimDue(engine, { vault, nowMs: startMs })
      const { content } = message ?? {}
      const body: unknown = JSON.parse(content && 'body' in content ? content.body : '{}')
      expect(body).toMatchObject({ kind, subject: id ?? subject })
    })

    test('two replicas at once send one message', async () => {
      const [one, two] = await fixture.openTwo()
      await addAccount(one, 'a')
      await addAlert(one, { kinds: [kind] })
      await quiet(one)
      await cross(one)
      await Promise.all([one, two, one, two].map((engine) => evaluateNow(engine)))
      expect(await listMessages(one.db, { accountIds: undefined, rowsMax: 9 })).toHaveLength(1)
    })

    test('an alert without this kind, or a disabled one, sends nothing', async () => {
      const engine = await fixture.openMigrated()
      await addAccount(engine, 'a')
      const other: AlertKind = kind === 'credit_low' ? 'key_expiring' : 'credit_low'
      await addAlert(engine, { kinds: [other] })
      await addAlert(engine, { kinds: [kind], isEnabled: false })
      await cross(engine)
      if (kind === 'spend_unusual') await quiet(engine)
      const { crossed } = await evaluateNow(engine)
      expect(crossed.filter((each) => each === kind)).toEqual([])
    })
  })

  test('one replica evaluates per minute', async () => {
    const [one, two] = await fixture.openTwo()
    const turn = (engine: Engine, nowMs: number) =>
      evaluateInTurn({ engine, vault, random: systemRandom, nowMs })
    const first = await Promise.all([turn(one, startMs), turn(two, startMs)])
    expect(first.filter((each) => each !== undefined)).toHaveLength(1)
    expect(await turn(two, startMs + 1_000)).toBeUndefined()
    expect(await turn(two, startMs + evaluationLimits.everyMs)).toBeDefined()
  })

  test('a replica whose clock was ahead, by an hour or a year, does not stop the evaluation', async () => {
    const [one, two] = await fixture.openTwo()
    const turn = (engine: Engine, nowMs: number) =>
      evaluateInTurn({ engine, vault, random: systemRandom, nowMs })
    for (const aheadMs of [3_600_000, 365 * dayMs]) {
      expect(await turn(one, startMs + aheadMs)).toBeDefined()
      expect(await turn(two, startMs)).toBeDefined()
      expect(await turn(two, startMs + 1_000)).toBeUndefined()
    }
  })

  test('an alert of one account sees no other account', async () => {
    const engine = await fixture.openMigrated()
    for (const id of ['a', 'b']) await addAccount(engine, id, { nano: 1n })
    await addAlert(engine, {
      accountId: 'b',
      channel: 'slack',
      emails: [],
      url: 'https://h.example/x',
    })
    await evaluateNow(engine)
    const rows = await engine.db.selectFrom('alert_crossing').selectAll().execute()
    expect(rows.map((row) => row.subject)).toEqual(['b'])
    const messages = await listMessages(engine.db, { accountIds: ['b'], rowsMax: 9 })
    expect(messages).toMatchObject([{ channel: 'slack', target: 'h.example', account_id: 'b' }])
    expect(await listMessages(engine.db, { accountIds: ['a'], rowsMax: 9 })).toEqual([])
  })

  test.each([
    ['en', 'Low credit: A', 'The balance of the account A is $0.000000001'],
    ['zh', '余额不足：A', '账户 A 的余额为 $0.000000001'],
  ] as const)(
    'an alert in %s: text, and codes that stay the same',
    async (language, title, text) => {
      const engine = await fixture.openMigrated()
      await addAccount(engine, 'a', { nano: 1n })
      const url = 'https://h.example/x'
      const secret = 's'.repeat(20)
      await addAlert(engine, { channel: 'slack', emails: [], url, language })
      await addAlert(engine, { channel: 'webhook', emails: [], url, secret, language })
      // The language of an address without a user is unknown.
      await addAlert(engine, { emails: ['ops@example.com'], language })
      await evaluateNow(engine)
      const sent = await claimDue(engine, { vault, nowMs: startMs + dayMs })
      const contents = new Map(sent.map(({ channel, content }) => [channel, content]))
      const bodyOf = (channel: 'slack' | 'webhook') => {
        const content = contents.get(channel)
        return content && 'body' in content ? JSON.parse(content.body) : undefined
      }
      expect(bodyOf('slack').text).toStartWith(`*${title}*\n${text}`)
      expect(bodyOf('webhook')).toMatchObject({
        kind: 'credit_low',
        accountId: 'a',
        subject: 'a',
        title,
        text: expect.stringContaining(text),
        values: { account: 'A', balance: '0.000000001', threshold: '5.00' },
      })
      expect(contents.get('email')).toMatchObject({
        mail: { subject: title, text: expect.stringContaining(text) },
      })
    },
  )

  test('money in leases counts as credit', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a', { nano: dollar })
    await addKey(engine, 'k', null)
    await addAlert(engine, {})
    const lease = { id: 'l', replica: 'r', epoch: 1, account_id: 'a', key_id: 'k', version: 1 }
    await engine.db
      .insertInto('lease')
      .values({
        ...lease,
        granted_nano: 6n * dollar,
        used_nano: 2n * dollar,
        created_at: 1,
        reclaim_at: 2,
      })
      .execute()
    expect((await evaluateNow(engine)).crossed).toEqual([])
    await engine.db
      .updateTable('lease')
      .set({ used_nano: 2n * dollar + 1n })
      .execute()
    expect((await evaluateNow(engine)).crossed).toEqual(['credit_low'])
  })

  test('a person who has left the account gets no message', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a', { nano: 1n })
    const user = { role: 'member', password_hash: null, created_at: 1, language: 'zh' }
    await engine.db
      .insertInto('console_user')
      .values([
        { ...user, id: 'u1', email: 'in@example.com', proof: 'operator' },
        { ...user, id: 'u2', email: 'left@example.com', proof: 'operator' },
      ])
      .execute()
    await engine.db.insertInto('membership').values({ user_id: 'u1', account_id: 'a' }).execute()
    await addAlert(engine, { accountId: 'a', emails: ['in@example.com', 'left@example.com'] })
    await evaluateNow(engine)
    const [message, ...others] = await claimDue(engine, { vault, nowMs: startMs })
    expect(others).toEqual([])
    expect(message?.target).toBe('in@example.com')
    expect(JSON.stringify(message?.content)).toContain('余额不足')
  })

  test('a condition that one replica reports holds until no replica reports it', async () => {
    const engine = await fixture.openMigrated()
    await addAlert(engine, { kinds: ['upstream_down'] })
    await see(engine, 'upstream_down', startMs, 'r1')
    await see(engine, 'upstream_down', startMs, 'r2')
    expect((await evaluateNow(engine)).crossed).toEqual(['upstream_down'])
    await putLocalConditions(engine, 'r1', [], startMs + 1)
    expect((await evaluateNow(engine, startMs + 1)).crossed).toEqual([])
    expect(await engine.db.selectFrom('alert_crossing').selectAll().execute()).toHaveLength(1)
    // A dead replica reports nothing.
    await evaluateNow(engine, startMs + localConditionLastsMs)
    expect(await engine.db.selectFrom('alert_crossing').selectAll().execute()).toEqual([])
  })

  test('what was reported while the clock of the database was ahead ends as well', async () => {
    const engine = await fixture.openMigrated()
    await addAlert(engine, { kinds: ['upstream_down'] })
    const aheadMs = startMs + dayMs
    await see(engine, 'upstream_down', aheadMs, 'r1')
    await see(engine, 'upstream_down', aheadMs, 'dead')
    expect((await evaluateNow(engine, aheadMs)).crossed).toEqual(['upstream_down'])
    await putLocalConditions(engine, 'r1', [], startMs)
    await evaluateNow(engine, startMs)
    expect(await engine.db.selectFrom('alert_crossing').selectAll().execute()).toEqual([])
    expect(await engine.db.selectFrom('alert_sighting').selectAll().execute()).toEqual([])
  })

  test('more conditions than one check reads: one that is not read is not over', async () => {
    const engine = await fixture.openMigrated()
    await addAlert(engine, {})
    let first = 0
    const source: AlertSource = {
      kind: 'credit_low',
      find: async () =>
        Array.from({ length: crossingsMax }, (_, index) => ({
          subject: `a${first + index}`,
          accountId: null,
          values: {},
        })),
    }
    const check = () =>
      evaluateAlerts({ engine, vault, random: systemRandom, nowMs: startMs, sources: [source] })
    await check()
    first = 20
    await check()
    const rows = await engine.db.selectFrom('alert_crossing').select('subject').execute()
    expect(rows).toHaveLength(crossingsMax + 20)
  })

  test('unusual spending is reported on each day, also if no check was made at midnight', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a')
    await addAlert(engine, { kinds: ['spend_unusual'] })
    await spend(engine, 'a', startMs - 30 * dayMs, dollar)
    const told: number[] = []
    for (const day of [0, 1, 2]) {
      await spend(engine, 'a', startMs + day * dayMs, 100n * dollar)
      for (let times = 0; times < 3; times += 1)
        told.push((await evaluateNow(engine, startMs + day * dayMs + times)).crossed.length)
    }
    expect(told).toEqual([1, 0, 0, 1, 0, 0, 1, 0, 0])
  })

  const weeks = (dollarsOf: (weekday: number) => number, count = 14) =>
    Array.from({ length: count }, (_, index) => dollarsOf((index + 1) % 7))
  test.each<[string, readonly number[], number, boolean]>([
    ['was never used before', [], 1_000, false],
    ['is in its first week of use', weeks(() => 1, 6), 1_000, false],
    ['has been used for a week', weeks(() => 10, 7), 31, true],
    ['is used as every day', weeks(() => 10), 30, false],
    ['is used more than on other days', weeks(() => 10), 31, true],
    // Today is weekday 0, and the days before have higher numbers the older they are.
    ['is used on one day of the week', weeks((day) => (day === 0 ? 100 : 0)), 300, false],
    ['is used far more than on that day', weeks((day) => (day === 0 ? 100 : 0)), 301, true],
    ['is used at weekends, and today is none', weeks((day) => (day < 5 ? 0 : 100)), 11, true],
    ['rests at weekends', weeks((day) => (day === 5 || day === 6 ? 0 : 10)), 30, false],
    ['has rested for two weeks', [...weeks(() => 0), 20], 11, true],
    ['stays below the floor', [...weeks(() => 0), 20], 10, false],
  ])('an account that %s: days before %p, today %d', async (_name, before, today, isUnusual) => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a')
    await addAlert(engine, { kinds: ['spend_unusual'] })
    for (const [index, dollars] of before.entries())
      if (dollars > 0)
        await spend(engine, 'a', startMs - (index + 1) * dayMs, BigInt(dollars) * dollar)
    await spend(engine, 'a', startMs, BigInt(today) * dollar)
    expect((await evaluateNow(engine)).crossed).toEqual(isUnusual ? ['spend_unusual'] : [])
  })
})

test.each([
  [0, [], 0n],
  [1, [5n], 5n],
  [2, [5n, 8n], 6n],
  [3, [9n, 1n, 5n], 5n],
  [14, [10n, 10n, 10n], 0n],
] as const)('the median of %i days', (days, values, median) => {
  expect(medianOf(days, values)).toBe(median)
})

test.each([
  '@channel',
  '(@all)',
  '.@channel',
  '-@here',
  '_@channel',
  'x.@all',
  'x+@channel',
  'x@everyone',
  'x@HERE',
  '<!channel>',
  '<@U123>',
  '<https://evil.example|Open the console>',
  '[Open the console](https://evil.example)',
  '![](https://evil.example/pixel)',
  '[Open the console][x]',
])('the name %p mentions nobody and links nowhere in a Slack-compatible message', (key) => {
  const values = { key, account: 'a & b', expires: '2026-11-18' }
  const crossing = { subject: 'k', accountId: 'a', values }
  const alert = { channel: 'slack', language: 'en' } as const
  const tools = { random: systemRandom, nowMs: startMs, consoleUrl: undefined }
  const { text } = JSON.parse(hookBody(alert, 'key_expiring', [crossing], tools))
  expect(text).not.toMatch(/@(?:channel|all|here|everyone|U123)/i)
  expect(text).not.toContain('<')
  expect(text).not.toMatch(/\][([]/)
  expect(text).toContain('a &amp; b')
  const shown = text.replaceAll('\u200B', '').replaceAll('&lt;', '<').replaceAll('&gt;', '>')
  expect(shown).toContain(key)
})

test('a name with backticks does not turn the rest of a Slack-compatible message into code', () => {
  const values = { key: '```', account: '`a', expires: '2026-11-18' }
  const crossing = { subject: 'k', accountId: 'a', values }
  const tools = { random: systemRandom, nowMs: startMs, consoleUrl: undefined }
  const body = hookBody({ channel: 'slack', language: 'en' }, 'key_expiring', [crossing], tools)
  expect(body).not.toContain('`')
})

test('an email address in a Slack-compatible message can be copied', () => {
  const values = { owner: 'ann.b+c@example.com', account: 'a', resets: '–' }
  const crossing = { subject: 'k', accountId: 'a', values }
  const tools = { random: systemRandom, nowMs: startMs, consoleUrl: undefined }
  const body = hookBody({ channel: 'slack', language: 'en' }, 'budget_low', [crossing], tools)
  expect(body).toContain('ann.b+c@example.com')
})
