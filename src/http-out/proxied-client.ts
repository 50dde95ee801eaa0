import { gatherBody } from './gather-body.ts'
import { OutgoingFailure, type ReplyBody, type UpstreamResponse } from './reply.ts'
import type { StopSwitch } from './stop-switch.ts'
import { trustedRoots } from './trusted-roots.ts'

export interface ProxiedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string | readonly Uint8Array[]
  readonly stop: StopSwitch
  readonly proxy: string
  readonly ca: string | undefined
}

/** Unused proxies are forgotten, the oldest first. */
const sessionsMax = 100

/** Uses the runtime's own client for proxies that are reached over TLS, because that client supports TLS inside TLS. */
export class ProxiedClient {
  readonly #sessions = new Map<string, Bun.FetchSession>()

  async send(request: ProxiedRequest): Promise<UpstreamResponse> {
    const { method, url, headers, body, stop } = request
    const abort = new AbortController()
    stop.onStop = () => abort.abort()
    try {
      const response = await fetch(url, {
        method,
        headers,
        body: method === 'POST' ? (typeof body === 'string' ? body : Buffer.concat(body)) : null,
        signal: abort.signal,
        session: this.#sessionFor(request),
        // When a reused connection breaks, the runtime repeats any request but a POST by itself.
        keepalive: method === 'POST',
        // A redirect would carry the credential to a host that the operator has not configured.
        redirect: 'manual',
        // The runtime gives up on a silent connection after five minutes; the gateway has its own limits.
        timeout: false,
      })
      return { status: response.status, headers: response.headers, body: new FetchedBody(response) }
    } catch (error) {
      throw failureOf(error, stop)
    }
  }

  #sessionFor({ proxy, ca }: ProxiedRequest): Bun.FetchSession {
    const key = JSON.stringify([proxy, ca])
    const session =
      this.#sessions.get(key) ??
      new Bun.FetchSession({
        proxy: { url: proxy, respectNoProxy: false },
        tls: ca === undefined ? {} : { ca: trustedRoots(ca) },
      })
    this.#sessions.delete(key)
    this.#sessions.set(key, session)
    for (const [oldKey, old] of this.#sessions) {
      if (this.#sessions.size <= sessionsMax) break
      this.#sessions.delete(oldKey)
      old.close()
    }
    return session
  }
}

class FetchedBody implements ReplyBody {
  readonly #reader: { read(): Promise<{ value?: Uint8Array }>; cancel(): Promise<void> } | undefined

  constructor({ body }: Response) {
    this.#reader = body?.getReader()
  }

  async read(): Promise<Uint8Array | undefined> {
    try {
      return (await this.#reader?.read())?.value
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new OutgoingFailure(why, { kind: 'cut_short', cause: error })
    }
  }

  readWhole(bytesMax: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return gatherBody(this, bytesMax)
  }

  cancel(): void {
    this.#reader?.cancel().catch(() => undefined)
  }
}

function failureOf(error: unknown, stop: StopSwitch): OutgoingFailure {
  const why = error instanceof Error ? error.message : String(error)
  const kind = stop.isStopped ? 'stopped' : 'connect_failed'
  return new OutgoingFailure(why, { kind, cause: error })
}
