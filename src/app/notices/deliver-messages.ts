import { findHook } from '../../alerts/alert-store.ts'
import { findObstacle } from '../../alerts/compose.ts'
import { deliveryText } from '../../core/delivery-problem.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { DeliveryDeps } from '../../outbox/deliver.ts'
import { DeliveryLine } from '../../outbox/delivery-line.ts'
import { type ClaimedMessage, DeliveryFailure, outboxLimits } from '../../outbox/message.ts'
import { countWaiting, sweepOutbox } from '../../outbox/outbox-store.ts'
import type { MailSender } from '../../outbox/smtp.ts'
import { postWebhook, type WebhookDeps } from '../../outbox/webhook.ts'
import { type Engine, forBackgroundWork } from '../../store/engine.ts'
import { readDatabaseMs } from '../../store/rows/database-now.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { RepeatedErrors } from '../../telemetry/repeated-errors.ts'

export interface DeliverMessagesDeps {
  readonly engine: Engine
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Undefined when no mail server is configured. */
  readonly mail: MailSender | undefined
  readonly webhooks: Omit<WebhookDeps, 'nowMs'>
}

const pollEveryMs = 2_000
const sweepEveryMs = 60 * 60_000

/** Sends the messages of the outbox, together with the other replicas. No request waits for it. */
export function deliverMessages(deps: DeliverMessagesDeps): { stop(): Promise<void> } {
  const { clock, log, metrics } = deps
  const engine = forBackgroundWork(deps.engine)
  const outcomes = metrics.counter(
    'tollgate_messages_total',
    'Attempts to send an email or a webhook.',
    ['channel', 'outcome'],
  )
  let waiting = 0
  metrics.gauge(
    'tollgate_messages_waiting',
    'Messages that wait in the outbox.',
    () => waiting,
    'largest',
  )
  const errors = new RepeatedErrors(log, clock.monotonicMs)
  // The clock of the database: otherwise a replica whose clock is ahead would take the messages that others are sending.
  let databaseAheadMs = 0
  const databaseMs = (): number => Math.floor(clock.monotonicMs() + databaseAheadMs)
  const delivery = {
    engine,
    vault: deps.vault,
    nowMs: databaseMs,
    send: (message: ClaimedMessage) => sendMessage({ ...deps, engine }, message),
    onOutcome: (...details: Parameters<DeliveryDeps['onOutcome']>) => {
      const [channel, outcome, { seq, purpose, attempts }, why] = details
      outcomes.add([channel, outcome])
      if (outcome === 'sent') log.info('message_sent', { seq, purpose, channel })
      else {
        const event = outcome === 'retried' ? 'message_retried' : 'message_failed'
        log.warn(event, { seq, purpose, channel, attempts, why })
      }
    },
  }
  const logError = (error: unknown) => errors.log('messages_not_sent', error)
  // A receiver that does not answer must not delay email.
  const lines = [
    new DeliveryLine('email', delivery, logError),
    new DeliveryLine('webhook', delivery, logError),
  ]
  let isStopped = false
  let sweptAtMs = 0
  const look = async (): Promise<void> => {
    try {
      databaseAheadMs = (await readDatabaseMs(engine)) - clock.monotonicMs()
      for (const line of lines) line.go()
      waiting = await countWaiting(engine)
      if (clock.monotonicMs() - sweptAtMs < sweepEveryMs && sweptAtMs > 0) return
      sweptAtMs = clock.monotonicMs()
      while (!isStopped && (await sweepOutbox(engine, databaseMs())) === outboxLimits.sweepRows);
    } catch (error) {
      logError(error)
    }
  }
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= look().finally(() => {
      running = undefined
    })
  }, pollEveryMs)
  return {
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await Promise.all([running, ...lines.map((line) => line.stop())])
    },
  }
}

export async function sendMessage(
  {
    engine,
    vault,
    clock,
    mail,
    webhooks,
  }: Pick<DeliverMessagesDeps, 'engine' | 'vault' | 'clock' | 'mail' | 'webhooks'>,
  message: ClaimedMessage,
): Promise<void> {
  const { deliveryId, alertId, target, content } = message
  const obstacle = await findObstacle(engine.db, message)
  if (obstacle !== undefined)
    throw new DeliveryFailure(deliveryText(obstacle, { email: target }), { isPermanent: true })
  if ('mail' in content) {
    if (!mail) throw new DeliveryFailure(deliveryText('no_mail_server'))
    return mail.send(target, content.mail)
  }
  const hook = alertId === null ? undefined : await findHook(engine.db, vault, alertId)
  if (!hook) throw new DeliveryFailure(deliveryText('alert_deleted'), { isPermanent: true })
  const { body } = content
  await postWebhook({ ...webhooks, nowMs: clock.nowMs }, { ...hook, body, deliveryId })
}
