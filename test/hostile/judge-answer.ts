import { parseJson } from '../../src/wire/json.ts'
import { allProtocols } from '../support/protocols/test-protocols.ts'
import type { HostileAnswer, HostileInput } from './hostile-input.ts'

/** Statuses of the gateway's own answers. Other statuses come from the upstream, which may refuse with any 4xx. */
const documented = new Set([200, 204, 502, 503, 504])
const requestId = /^[A-Za-z0-9_-]{10,80}$/

/** The problem of an answer; undefined when there is none. */
export function judgeAnswer(
  input: HostileInput,
  { status, headers, text }: HostileAnswer,
  secrets: readonly string[],
): string | undefined {
  // Input that is not HTTP is answered by the runtime's server, or not at all.
  if (input.raw !== undefined) return status === 500 ? 'status 500' : undefined
  if (status === 500) return 'status 500'
  if (!documented.has(status) && (status < 400 || status > 499)) return `status ${status}`
  const shown =
    status === 200 ? JSON.stringify([...headers]) : `${JSON.stringify([...headers])}${text}`
  if (secrets.some((secret) => shown.includes(secret))) return 'a secret is in the answer'
  if (!requestId.test(headers.get('x-gateway-request-id') ?? '')) return 'no request id'
  if (status < 400 || input.method === 'HEAD') return undefined
  const value = parseJson(text)
  const isTold = allProtocols.some(({ client }) => {
    const { message } = client.readFault(Array.isArray(value) ? value[0] : value)
    return typeof message === 'string' && message !== ''
  })
  return isTold ? undefined : `an error without its protocol's shape: ${text.slice(0, 200)}`
}
