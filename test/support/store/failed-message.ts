import type { Channel } from '../../../src/core/message-state.ts'
import { claimDue, enqueue, markFailed } from '../../../src/outbox/outbox-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import type { Vault } from '../../../src/store/secrets/vault.ts'

interface FailedMessage {
  /** Null for an invitation. */
  readonly alertId: string | null
  readonly accountId: string | null
  readonly channel?: Channel
  readonly target?: string
}

/** Adds a message that was given up after its first attempt. Returns its id. */
export async function addFailedMessage(
  fixture: { readonly engine: Engine; readonly vault: Vault; nowMs(): number },
  { alertId, accountId, channel = 'webhook', target = 'hooks.example.com' }: FailedMessage,
): Promise<string> {
  const { engine, vault } = fixture
  const nowMs = fixture.nowMs()
  const mail = { subject: 's', text: 'hidden content', html: '' }
  const content = channel === 'email' ? { mail } : { body: '"hidden content"' }
  const purpose = alertId === null ? 'invitation' : 'credit_low'
  const title = alertId === null ? {} : { title: 'Low credit: Acme' }
  const message = { purpose, accountId, alertId, channel, target, content, ...title }
  await write(engine, nowMs, (writing) => enqueue(writing, { vault, nowMs }, message))
  const claimed = await claimDue(engine, { vault, nowMs })
  for (const each of claimed)
    await markFailed(engine, each, { error: '550 no', isPermanent: true, nowMs })
  return String(claimed.at(-1)?.seq ?? '')
}
