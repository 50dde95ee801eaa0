import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { MailPort } from '../console-api/gateway-ports.ts'
import type { Clock } from '../core/clock.ts'
import { sendHttp } from '../http-out/outgoing-http.ts'
import { openSmtp } from '../outbox/smtp.ts'
import type { WebhookTools } from '../outbox/webhook.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/vault.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { deliverMessages } from './deliver-messages.ts'
import { findSightings } from './find-sightings.ts'
import type { Node } from './open-node.ts'
import { watchAlerts } from './watch-alerts.ts'

export interface NoticeNeeds {
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
export function openNotices(config: Config, needs: NoticeNeeds): { stop(): Promise<void> } {
  const delivery = deliverMessages({
    ...needs,
    mail: config.smtp && openSmtp(config.smtp),
    webhooks: webhookTools(config),
  })
  const watch = watchAlerts({ ...needs, sightings: () => findSightings(needs) })
  return {
    stop: async () => {
      await Promise.race([Promise.all([watch.stop(), delivery.stop()]), sleep(stopMs)])
    },
  }
}

export function webhookTools({
  brand,
  isPrivateWebhookAllowed,
}: Pick<Config, 'brand' | 'isPrivateWebhookAllowed'>): Omit<WebhookTools, 'nowMs'> {
  return { send: sendHttp, brand, allowsPrivate: isPrivateWebhookAllowed }
}

/** Undefined when no mail server is configured. `publicUrl` is set then: the configuration requires it. */
export function mailPort({ smtp, publicUrl }: Pick<Config, 'smtp' | 'publicUrl'>) {
  if (!smtp || publicUrl === undefined) return undefined
  return { publicUrl, send: openSmtp(smtp).send } satisfies MailPort
}
