import { findHook, type StoredAlert } from '../../../alerts/alert-store.ts'
import { recipientsOf } from '../../../alerts/compose.ts'
import { hookBody } from '../../../alerts/hook-body.ts'
import { deliveryText } from '../../../core/delivery-problem.ts'
import { newId } from '../../../core/id.ts'
import type { Channel } from '../../../core/message-state.ts'
import { mailTexts } from '../../../outbox/mail-texts.ts'
import { DeliveryFailure, errorLine, outboxLimits } from '../../../outbox/message.ts'
import { noteSent } from '../../../outbox/outbox-store.ts'
import { sendSoon } from '../../../outbox/send-soon.ts'
import { readDatabaseMs } from '../../../store/rows/database-now.ts'
import { change } from '../../changes/change.ts'
import type { TestAnswer } from '../../contract.ts'
import { refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { needAlert } from './change-alerts.ts'
import { shownProblem } from './shown-problem.ts'

/** Sends a test message of an alert to all its recipients and tells the first problem. */
export async function testAlert(
  call: CallOf<'POST /alerts/{id}/test'>,
): Promise<JsonAnswer<TestAnswer>> {
  const alert = await needAlert(call.deps.engine.db, call)
  call.throttle.countTest('testMessages', call.session.userId)
  const after = { name: alert.name, channel: alert.channel }
  await change(call, ({ record }) => record({ action: 'alert.tested', subject: alert.id, after }))
  if (alert.channel !== 'email') return { body: { problem: await tryHook(call, alert) } }
  const targets = await recipientsOf(call.deps.engine.db, alert)
  if (targets.length === 0) return { body: { problem: deliveryText('no_recipient') } }
  const problems: (string | null)[] = []
  // Several at a time, so that a server that does not answer does not hold the caller for one attempt per recipient.
  for (let at = 0; at < targets.length; at += outboxLimits.sendingMax) {
    const some = targets.slice(at, at + outboxLimits.sendingMax)
    problems.push(...(await Promise.all(some.map((email) => tryMail(call, email, alert)))))
  }
  return { body: { problem: problems.find((each) => each !== null) ?? null } }
}

export async function testMail(
  call: CallOf<'POST /operate/mail/test'>,
): Promise<JsonAnswer<TestAnswer>> {
  call.throttle.countTest('testMessages', call.session.userId)
  return { body: { problem: await tryMail(call, call.session.email, undefined) } }
}

async function tryMail(
  call: SignedInCall,
  target: string,
  alert: StoredAlert | undefined,
): Promise<string | null> {
  const { mail } = call.deps.gateway
  if (!mail) throw refuse('conflict', 'mail_off')
  return attempt(call, alert, 'email', target, () =>
    mail.send(target, mailTexts(call.session.language).test()),
  )
}

async function tryHook(call: SignedInCall, alert: StoredAlert): Promise<string | null> {
  const { engine, vault, random, clock, gateway } = call.deps
  const hook = await findHook(engine.db, vault, alert.id)
  if (!hook) return deliveryText('alert_deleted')
  const about = { subject: alert.id, accountId: alert.accountId, values: {} }
  const body = hookBody(alert, 'test', [about], {
    random,
    nowMs: clock.nowMs(),
    consoleUrl: undefined,
  })
  const deliveryId = newId('test', random)
  return attempt(call, alert, alert.channel, alert.urlHost ?? '', () =>
    gateway.postWebhook({ ...hook, body, deliveryId }),
  )
}

/** The list of messages shows tests too. What waits for a receiver that works again is sent at once. */
async function attempt(
  { deps, session }: SignedInCall,
  alert: StoredAlert | undefined,
  channel: Channel,
  target: string,
  send: () => Promise<void>,
): Promise<string | null> {
  let problem: string | null = null
  try {
    await send()
  } catch (error) {
    if (!(error instanceof DeliveryFailure)) throw error
    problem = errorLine(error)
  }
  const message = {
    purpose: 'test',
    accountId: alert?.accountId ?? null,
    alertId: alert?.id ?? null,
    channel,
    target,
  }
  const { engine, clock } = deps
  await noteSent(engine.db, message, { nowMs: clock.nowMs(), error: problem })
  if (problem === null) {
    const ofAlert = alert && { alertId: alert.id, ...(channel === 'email' && { target }) }
    const kind = channel === 'email' ? 'email' : 'webhook'
    await sendSoon(engine.db, { kind, ...ofAlert }, await readDatabaseMs(engine))
  }
  return shownProblem(problem, channel, session)
}
