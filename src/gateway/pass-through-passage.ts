import type { ModelTraits } from '../protocols/model-traits.ts'

import { isObject, parseJson } from '../wire/json.ts'
import type { Exchange } from './exchange.ts'
import type { Passage, WholeReply } from './passage.ts'
import { versionHeaders } from './version-header.ts'

const decoder = new TextDecoder()

/** Both sides speak one protocol: the caller's bytes go out with the model's name patched, the reply comes back as it is. */
export class PassThroughPassage implements Passage {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly warnings = []
  readonly #exchange: Exchange

  constructor(
    exchange: Exchange,
    target: { model: string; outputTokensMax: number; traits: ModelTraits },
  ) {
    const { passThrough } = exchange.protocol
    this.#exchange = exchange
    this.body = passThrough.encodeForward(exchange.body, exchange.facts, target)
    this.headers = headersFor(exchange)
  }

  readReply(bytes: Uint8Array<ArrayBuffer>): WholeReply | undefined {
    const value = parseJson(decoder.decode(bytes))
    if (!isObject(value)) return undefined
    return { reading: this.#exchange.protocol.passThrough.readReply(value), body: bytes }
  }

  openTap() {
    return this.#exchange.protocol.passThrough.openTap(this.#exchange.facts)
  }

  readFault(status: number, bodyText: string) {
    return this.#exchange.protocol.passThrough.readFault(status, bodyText)
  }
}

const noHeaders: Readonly<Record<string, string>> = {}

function headersFor({ call, protocol }: Exchange): Readonly<Record<string, string>> {
  const { forwardedHeaders } = protocol.passThrough
  if (forwardedHeaders.length === 0) return noHeaders
  const headers: Record<string, string> = {}
  for (const name of forwardedHeaders) {
    const value = call.headers.get(name)
    if (value !== null) headers[name] = value
  }
  return protocol.name === 'messages' ? { ...headers, ...versionHeaders(call.headers) } : headers
}
