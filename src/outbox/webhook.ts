import { createHmac } from 'node:crypto'
import { deliveryText } from '../core/delivery-problem.ts'
import type { SendHttp } from '../http-out/outgoing-http.ts'
import { OutgoingFailure } from '../http-out/reply.ts'
import { stopOn } from '../http-out/stop-switch.ts'
import { DeliveryFailure, outboxLimits } from './message.ts'

export interface WebhookDeps {
  readonly send: SendHttp
  /** The word in header names, such as `x-gateway-signature`. */
  readonly brand: string
  /** Whether webhooks may go to addresses that are not public. */
  readonly allowsPrivate: boolean
  nowMs(): number
  /** One attempt; shorter in tests. */
  readonly attemptMs?: number
}

export interface Webhook {
  readonly url: string
  /** Absent for a Slack-compatible webhook, whose URL is the secret. */
  readonly secret: string | undefined
  readonly body: string
  /** The same in each attempt; see `ClaimedMessage`. */
  readonly deliveryId: string
}

/** The answer is read only so far: the connection is not used again. */
const goneStatus = 410

/** HMAC-SHA256 over the time in seconds, a dot and the body, in hexadecimal. */
export function signatureOf(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
}

/** Posts a message. Account owners choose the URL, so it is not trusted, and a redirect is not followed. */
export async function postWebhook(deps: WebhookDeps, hook: Webhook): Promise<void> {
  const { send, allowsPrivate, attemptMs = outboxLimits.attemptMs } = deps
  const { url, body } = hook
  const { host } = new URL(url)
  const signal = AbortSignal.timeout(attemptMs)
  try {
    const response = await send({
      method: 'POST',
      url,
      headers: headersOf(deps, hook),
      body,
      stop: stopOn(signal),
      connection: { proxy: undefined, ca: undefined, allowsPrivate },
      isUntrusted: true,
    })
    response.body.cancel()
    const { status } = response
    if (status >= 200 && status < 300) return
    const problem = status >= 300 && status < 400 ? 'redirected' : 'status'
    throw new DeliveryFailure(deliveryText(problem, { host, status }), {
      isPermanent: status === goneStatus,
    })
  } catch (error) {
    if (error instanceof DeliveryFailure) throw error
    throw new DeliveryFailure(reasonOf(error, host, signal.aborted), { cause: error })
  }
}

function headersOf({ brand, nowMs }: WebhookDeps, { secret, body, deliveryId }: Webhook): Headers {
  const seconds = Math.floor(nowMs() / 1_000)
  const headers = new Headers({ 'content-type': 'application/json', connection: 'close' })
  if (secret === undefined) return headers
  headers.set(`x-${brand}-delivery`, deliveryId)
  headers.set(`x-${brand}-timestamp`, String(seconds))
  headers.set(`x-${brand}-signature`, `v1=${signatureOf(secret, seconds, body)}`)
  return headers
}

/** Names only the host: the rest of the URL may be a secret. */
function reasonOf(error: unknown, host: string, isLate: boolean): string {
  const kind = error instanceof OutgoingFailure ? error.kind : undefined
  if (isLate || kind === 'connect_timeout') return deliveryText('late', { host })
  return deliveryText(kind === 'address_refused' ? 'not_public' : 'unreachable', { host })
}
