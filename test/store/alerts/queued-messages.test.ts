import { describe, expect, test } from 'bun:test'
import { changeAlert, deleteAlert, putAlert } from '../../../src/alerts/alert-store.ts'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { sendMessage } from '../../../src/app/notices/deliver-messages.ts'
import { webhookTools } from '../../../src/app/notices/open-notices.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { deliverDue } from '../../../src/outbox/deliver.ts'
import { listMessages } from '../../../src/outbox/outbox-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, addAlert, startMs, usualAlert, vault } from './alert-cases.ts'

const emails = ['in@example.com', 'out@example.com']
const tools = { vault, random: systemRandom, nowMs: startMs }

async function addMembers(engine: Engine): Promise<void> {
  const user = { role: 'member', password_hash: null, created_at: 1, proof: 'operator' }
  for (const email of emails) {
    await engine.db
      .insertInto('console_user')
      .values({ ...user, id: email, email })
      .execute()
    const membership = { user_id: email, account_id: 'a' }
    await engine.db.insertInto('membership').values(membership).execute()
  }
}

const change = (engine: Engine, id: string, edit: Parameters<typeof changeAlert>[3]) =>
  write(engine, startMs, (writing) => changeAlert(writing, tools, id, edit))
const put = (engine: Engine, id: string, isEnabled: boolean) =>
  write(engine, startMs, (writing) =>
    putAlert(writing, tools, id, { ...usualAlert, accountId: 'a', emails, isEnabled }),
  )

/** What happens while two messages wait, who still gets one, and what the list shows for the others. */
const changes: readonly [
  string,
  (engine: Engine, id: string) => Promise<unknown>,
  readonly string[],
  string | undefined,
][] = [
  ['nothing happens', async () => undefined, emails, undefined],
  [
    'a member leaves',
    (engine) =>
      engine.db.deleteFrom('membership').where('user_id', '=', 'out@example.com').execute(),
    ['in@example.com'],
    'out@example.com is no longer a recipient of the alert.',
  ],
  [
    'a member is suspended',
    (engine) =>
      engine.db
        .updateTable('console_user')
        .set({ suspended: 1 })
        .where('id', '=', 'out@example.com')
        .execute(),
    ['in@example.com'],
    'out@example.com is no longer a recipient of the alert.',
  ],
  [
    'a recipient is removed',
    (engine, id) => change(engine, id, { emails: ['in@example.com'] }),
    ['in@example.com'],
    'out@example.com is no longer a recipient of the alert.',
  ],
  [
    'the alert is disabled',
    (engine, id) => change(engine, id, { isEnabled: false }),
    [],
    'The alert was disabled.',
  ],
  [
    'the alert is disabled by its file, and enabled again',
    async (engine, id) => {
      await put(engine, id, false)
      await put(engine, id, true)
    },
    [],
    'The alert was disabled.',
  ],
  [
    'the alert is deleted',
    (engine, id) => write(engine, startMs, (writing) => deleteAlert(writing, id, startMs)),
    [],
    'The alert was deleted.',
  ],
]

describe.each(sharedFixtures('queued-messages'))('messages that wait on $kind', (fixture) => {
  const mail = (send: (target: string) => Promise<void>) => ({ send, check: async () => undefined })
  const clock = { nowMs: () => startMs, monotonicMs: () => 0 }
  const webhooks = webhookTools({ brand: 'gateway', isPrivateWebhookAllowed: false })

  async function deliver(engine: Engine, before = async () => undefined): Promise<string[]> {
    const sent: string[] = []
    const parts = { engine, vault, clock, webhooks, mail: mail(async (to) => void sent.push(to)) }
    const begun = await deliverDue({
      engine,
      vault,
      nowMs: clock.nowMs,
      send: async (message) => {
        await before()
        return sendMessage(parts, message)
      },
      onOutcome: () => undefined,
    })
    await Promise.all(begun.map(({ ended }) => ended))
    return sent.toSorted()
  }

  test.each(changes)('%s', async (_name, happen, recipients, error) => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a', { nano: 1n })
    await addMembers(engine)
    const id = await addAlert(engine, { accountId: 'a', emails })
    await evaluateAlerts({ engine, ...tools })
    await happen(engine, id)
    expect(await deliver(engine)).toEqual([...recipients])
    const rows = await listMessages(engine.db, { accountIds: ['a'], rowsMax: 9 })
    const failed = rows.filter(({ state }) => state === 'failed')
    expect(rows.filter(({ state }) => state === 'sent')).toHaveLength(recipients.length)
    expect(failed.map(({ last_error: text }) => text)).toEqual(
      emails.slice(recipients.length).map(() => error ?? ''),
    )
    // What was given up can be sent again, unless the alert was deleted.
    const kept = rows.filter((row) => row.payload_sealed !== null)
    expect(kept).toEqual(rows.some((row) => row.alert_name === null) ? [] : failed)
  })

  test('a message that was already taken goes to no alert of another account with the same id', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a', { nano: 1n })
    await addAccount(engine, 'b')
    await addMembers(engine)
    const id = await addAlert(engine, { accountId: 'a', emails })
    await evaluateAlerts({ engine, ...tools })
    let isReplaced = false
    const replace = async (): Promise<undefined> => {
      if (isReplaced) return undefined
      isReplaced = true
      await engine.db.updateTable('membership').set({ account_id: 'b' }).execute()
      await write(engine, startMs, async (writing) => {
        await deleteAlert(writing, id, startMs)
        await putAlert(writing, tools, id, { ...usualAlert, accountId: 'b', emails })
      })
      return undefined
    }
    expect(await deliver(engine, replace)).toEqual([])
  })

  test('an alert whose recipients have all left shows that nobody was told', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a', { nano: 1n })
    await addAlert(engine, { accountId: 'a', emails })
    for (let times = 0; times < 2; times += 1) await evaluateAlerts({ engine, ...tools })
    expect(await deliver(engine)).toEqual([])
    const rows = await listMessages(engine.db, { accountIds: ['a'], rowsMax: 9 })
    expect(rows).toMatchObject([
      {
        state: 'failed',
        purpose: 'credit_low',
        last_error: expect.stringContaining('No recipient'),
      },
    ])
  })
})
