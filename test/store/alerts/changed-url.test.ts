import { describe, expect, test } from 'bun:test'
import { changeAlert, putAlert } from '../../../src/alerts/alert-store.ts'
import type { AlertValues } from '../../../src/alerts/definition/alert.ts'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { deliverDue } from '../../../src/outbox/deliver.ts'
import { outboxLimits } from '../../../src/outbox/message.ts'
import { listMessages } from '../../../src/outbox/outbox-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, addAlert, startMs, usualAlert, vault } from './alert-cases.ts'

const tools = { vault, random: systemRandom, nowMs: startMs }
const url = 'https://old.example.com/hook'
const slack: AlertValues = { ...usualAlert, channel: 'slack', emails: [], url }
const newUrl = 'https://new.example.com/hook'

const edit = (change: Parameters<typeof changeAlert>[3]) => (engine: Engine, id: string) =>
  write(engine, startMs, (writing) => changeAlert(writing, tools, id, change))
const put = (change: Partial<AlertValues>) => (engine: Engine, id: string) =>
  write(engine, startMs, (writing) => putAlert(writing, tools, id, { ...slack, ...change }))

/** What happens while two messages wait for hours, where they are sent at once, and what the list shows. */
const changes: readonly [
  string,
  (engine: Engine, id: string) => Promise<unknown>,
  sent: readonly string[],
  shown: string,
][] = [
  ['nothing', async () => undefined, [], 'old.example.com'],
  ['another threshold', edit({ creditBelowNano: 7_000_000_000n }), [], 'old.example.com'],
  ['another URL', edit({ url: newUrl }), ['new.example.com', 'new.example.com'], 'new.example.com'],
  [
    'another URL in the file',
    put({ url: newUrl }),
    ['new.example.com', 'new.example.com'],
    'new.example.com',
  ],
  ['the same file', put({}), [], 'old.example.com'],
  [
    'the same URL with another threshold',
    put({ creditBelowNano: 7_000_000_000n }),
    [],
    'old.example.com',
  ],
  ['the same URL', edit({ url }), [], 'old.example.com'],
  ['another URL, and disabled', edit({ url: newUrl, isEnabled: false }), [], 'old.example.com'],
]

describe.each(sharedFixtures('changed-url'))(
  'messages that wait for a webhook on $kind',
  (fixture) => {
    test.each(changes)('%s', async (_name, happen, sent, shown) => {
      const engine = await fixture.openMigrated()
      const id = await addAlert(engine, slack)
      const other = await addAlert(engine, { ...slack, kinds: ['key_expiring'] })
      for (const account of ['a', 'b']) {
        await addAccount(engine, account, { nano: 1n })
        await evaluateAlerts({ engine, ...tools })
      }
      const lastPauseMs = outboxLimits.pausesMs.at(-1) ?? 0
      await engine.db
        .updateTable('outbox')
        .set({ attempts: 7, next_at: startMs + lastPauseMs })
        .where('seq', '=', ({ selectFrom }) =>
          selectFrom('outbox').select(({ fn }) => fn.min('seq').as('seq')),
        )
        .execute()
      await happen(engine, id)
      await edit({ url: 'https://other.example.com' })(engine, other)
      const targets: string[] = []
      for (let times = 0; times < 3; times += 1) {
        const begun = await deliverDue({
          engine,
          vault,
          nowMs: () => startMs,
          send: async ({ target }) => void targets.push(target),
          onOutcome: () => undefined,
        })
        await Promise.all(begun.map(({ ended }) => ended))
      }
      expect(targets).toEqual([...sent])
      const rows = await listMessages(engine.db, { accountIds: undefined, rowsMax: 9 })
      expect(rows.map(({ target }) => target)).toEqual([shown, shown])
    })

    test.each([1, 8])(
      'one that attempt %d sends to the old URL goes to the new one, whatever becomes of that attempt',
      async (attempt) => {
        const engine = await fixture.openMigrated()
        const id = await addAlert(engine, slack)
        await addAccount(engine, 'a', { nano: 1n })
        await evaluateAlerts({ engine, ...tools })
        await engine.db
          .updateTable('outbox')
          .set({ attempts: attempt - 1 })
          .execute()
        const targets: string[] = []
        const deliver = async (send: (target: string) => Promise<unknown>): Promise<void> => {
          const begun = await deliverDue({
            engine,
            vault,
            nowMs: () => startMs,
            send: async ({ target }) => {
              targets.push(target)
              await send(target)
            },
            onOutcome: () => undefined,
          })
          await Promise.all(begun.map(({ ended }) => ended))
        }
        await deliver(async () => {
          await edit({ url: newUrl })(engine, id)
          throw new Error('no answer')
        })
        await deliver(async () => undefined)
        expect(targets).toEqual(['old.example.com', 'new.example.com'])
        const rows = await listMessages(engine.db, { accountIds: undefined, rowsMax: 9 })
        expect(rows.map(({ state, target }) => [state, target])).toEqual([
          ['sent', 'new.example.com'],
        ])
      },
    )
  },
)
