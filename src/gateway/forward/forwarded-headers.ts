import type { Exchange } from '../exchange.ts'

const noHeaders: Readonly<Record<string, string>> = {}

/** The client's headers that an upstream of the same protocol needs. */
export function headersFor({ call, protocol }: Exchange): Readonly<Record<string, string>> {
  const { forwardedHeaders, renamedHeaders } = protocol.passThrough
  if (forwardedHeaders.length === 0) return noHeaders
  const headers: Record<string, string> = {}
  for (const name of forwardedHeaders) {
    const value = call.headers.get(name)
    if (value !== null) headers[name] = value
  }
  return renamedHeaders ? { ...headers, ...renamedHeaders(call.headers) } : headers
}
