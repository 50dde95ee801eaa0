import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import type { MailPort } from '../../console-api/ports/gateway-ports.ts'
import type { Clock } from '../../core/time/clock.ts'
import { sendHttp } from '../../http-out/outgoing-http.ts'
import { type MailSender, openSmtp } from '../../outbox/smtp.ts'
import type { WebhookDeps } from '../../outbox/webhook.ts'
import type { Engine } from '../../store/engine.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Node } from '../node/open-node.ts'
import type { LiveConfig } from '../secrets/adopt-secret.ts'
import { deliverMessages } from './deliver-messages.ts'
import { findLocalConditions } from './find-local-conditions.ts'
import { watchAlerts } from './watch-alerts.ts'

export interface NoticeDeps {
  readonly engine: Engine
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly replica: string
  readonly node: Pick<Node, 'routing' | 'upstreams'>
}

/** A message in progress is sent again by another replica if it does not end within this time. */
const stopMs = 3_000

/** Sends email and webhooks, and watches the conditions that alerts report. */
export function openNotices(live: LiveConfig, deps: NoticeDeps): { stop(): Promise<void> } {
  const delivery = deliverMessages({
    ...deps,
    mail: mailSender(live),
    webhooks: webhookTools(live.config),
  })
  const watch = watchAlerts({
    ...deps,
    publicUrl: live.config.publicUrl,
    localConditions: () => findLocalConditions(deps),
  })
  return {
    stop: async () => {
      await Promise.race([Promise.all([watch.stop(), delivery.stop()]), sleep(stopMs)])
    },
  }
}

export function webhookTools({
  brand,
  isPrivateWebhookAllowed,
}: Pick<Config, 'brand' | 'isPrivateWebhookAllowed'>): Omit<WebhookDeps, 'nowMs'> {
  return { send: sendHttp, brand, allowsPrivate: isPrivateWebhookAllowed }
}

type MailSettings = { readonly config: Pick<Config, 'smtp' | 'publicUrl'> }

/** Undefined when no mail server is configured. Each message uses the password that is in force then. */
function mailSender(live: MailSettings): MailSender | undefined {
  const { smtp } = live.config
  const current = () => (smtp ? openSmtp(live.config.smtp ?? smtp) : undefined)
  return (
    smtp && {
      send: async (...message) => current()?.send(...message),
      check: async () => current()?.check(),
    }
  )
}

/** Undefined when no mail server is configured. `publicUrl` is set then: the configuration requires it. */
export function mailPort(live: MailSettings): MailPort | undefined {
  const sender = mailSender(live)
  const { publicUrl } = live.config
  return sender && publicUrl !== undefined ? { publicUrl, send: sender.send } : undefined
}
