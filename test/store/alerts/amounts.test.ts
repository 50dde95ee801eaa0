import { describe, expect, test } from 'bun:test'
import { readAlert } from '../../../src/alerts/alert-store.ts'
import type { AlertValues } from '../../../src/alerts/definition/alert.ts'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { conditionData } from '../../../src/alerts/hook-body.ts'
import { readConditions } from '../../../src/alerts/read-conditions.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { claimDue } from '../../../src/outbox/outbox-store.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import {
  addAccount,
  addAlert,
  addKey,
  dayMs,
  dollar,
  setDaily,
  setSpent,
  spend,
  startMs,
  vault,
} from './alert-cases.ts'

const url = 'https://hooks.example.com/x'

interface AmountCase {
  readonly name: string
  readonly alert: Partial<AlertValues>
  readonly begin: (engine: Engine) => Promise<unknown>
  /** What a person reads. */
  readonly words: string
  /** What a program reads. */
  readonly values: Readonly<Record<string, string>>
}

const cases: readonly AmountCase[] = [
  {
    name: 'a balance one nano below the threshold does not read like the threshold',
    alert: { kinds: ['credit_low'] },
    begin: (engine) => addAccount(engine, 'a', { nano: 5n * dollar - 1n }),
    words: 'is $4.99, below $5.00.',
    values: { balance: '4.999999999', threshold: '5.00' },
  },
  {
    name: 'a threshold is written as it was set',
    alert: { kinds: ['credit_low'], creditBelowNano: 1_234_567_890n },
    begin: (engine) => addAccount(engine, 'a', { nano: 1_234_567_889n }),
    words: 'is $1.23, below $1.23456789.',
    values: { balance: '1.234567889', threshold: '1.23456789' },
  },
  {
    name: 'an overdrawn balance',
    alert: { kinds: ['credit_low'] },
    begin: (engine) => addAccount(engine, 'a', { nano: -1_000_000_001n }),
    words: 'is -$1.01, below $5.00.',
    values: { balance: '-1.000000001', threshold: '5.00' },
  },
  {
    name: 'less than ten cents',
    alert: { kinds: ['credit_low'] },
    begin: (engine) => addAccount(engine, 'a', { nano: 1_239_999n }),
    words: 'is $0.0012, below $5.00.',
    values: { balance: '0.001239999', threshold: '5.00' },
  },
  {
    name: 'the spending of a budget',
    alert: { kinds: ['budget_low'] },
    begin: async (engine) => {
      await addAccount(engine, 'a')
      await setDaily(engine, 'a', 10_005_000_000n)
      await setSpent(engine, 'a', 9_876_543_219n, { limitNano: 10_005_000_000n })
    },
    words: 'has spent $9.87 of the budget of $10.005.',
    values: { spent: '9.876543219', limit: '10.005' },
  },
  {
    name: 'unusual spend',
    alert: { kinds: ['spend_unusual'] },
    begin: async (engine) => {
      await addAccount(engine, 'a')
      await addKey(engine, 'k', null)
      for (let day = 1; day <= 14; day += 1)
        await spend(engine, 'a', startMs - day * dayMs, 1_000_000_009n)
      await spend(engine, 'a', startMs, 34_567_891_234n)
    },
    words: 'has spent $34.56 on 2026-09-04 (UTC), more than 3 times its usual $1.00 a day.',
    values: { spend: '34.567891234', usual: '1.000000009' },
  },
]

describe.each(sharedFixtures('alert-amounts'))('amounts of alerts on $kind', (fixture) => {
  test.each(cases)('$name', async ({ alert, begin, words, values }) => {
    const engine = await fixture.openMigrated()
    await begin(engine)
    await addAlert(engine, alert)
    await addAlert(engine, { ...alert, channel: 'slack', emails: [], url })
    const hook = { channel: 'webhook', emails: [], url, secret: 's'.repeat(20) } as const
    const id = await addAlert(engine, { ...alert, ...hook })
    await evaluateAlerts({ engine, vault, random: systemRandom, nowMs: startMs })
    const sent = await claimDue(engine, { vault, nowMs: startMs })
    expect(sent).toHaveLength(3)
    for (const { channel, content } of sent) {
      const body: unknown = 'body' in content ? JSON.parse(content.body) : content.mail
      expect(body).toMatchObject({ text: expect.stringContaining(words) })
      if (channel === 'webhook') expect(body).toMatchObject({ values, conditions: [{ values }] })
    }
    const stored = await readAlert(engine.db, id)
    const active = stored ? await readConditions(engine.db, stored, startMs) : []
    const rows = active.map(({ kind, crossing }) => conditionData(kind, crossing, 'en'))
    expect(rows).toMatchObject([{ text: expect.stringContaining(words), values }])
  })
})
