import type { SendHttp } from '../../../http-out/outgoing-http.ts'
import { stopOn } from '../../../http-out/stop-switch.ts'
import type { PostOutcome } from '../../../telemetry/otlp/export-queue.ts'

const answerBytesMax = 64 * 1024
/** The statuses after which OTLP lets a client try again. */
const laterStatuses = new Set([429, 502, 503, 504])

export interface Collector {
  readonly send: SendHttp
  readonly url: string
  readonly headers: Headers
  readonly attemptMs: number
}

/** Sends one body to the collector. Redirects are not followed: the headers may contain a secret. */
export async function postOtlp(collector: Collector, body: string): Promise<PostOutcome> {
  const { send, url, headers, attemptMs } = collector
  const signal = AbortSignal.timeout(attemptMs)
  try {
    const response = await send({
      url,
      headers,
      body,
      stop: stopOn(signal),
      connection: { proxy: undefined, ca: undefined, allowsPrivate: true },
      connectMs: attemptMs,
    })
    const { status } = response
    const isTaken = status >= 200 && status < 300
    // Reading to the end keeps the connection for the next batch.
    if ((await response.body.readWhole(answerBytesMax)) === undefined) response.body.cancel()
    if (isTaken) return { kind: 'taken' }
    const why = `the collector answered HTTP ${status}`
    if (!laterStatuses.has(status)) return { kind: 'refused', why }
    return { kind: 'later', why, waitMs: retryAfterMs(response.headers.get('retry-after')) }
  } catch (error) {
    const why = signal.aborted ? 'the collector did not answer in time' : String(error)
    return { kind: 'later', why }
  }
}

function retryAfterMs(text: string | null): number | undefined {
  return text !== null && /^\d{1,5}$/.test(text) ? Number(text) * 1_000 : undefined
}
