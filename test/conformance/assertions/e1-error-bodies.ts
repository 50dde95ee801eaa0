import type { Fault } from '../../../src/core/fault.ts'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { foreignFault } from '../../../src/gateway/forward/foreign-fault.ts'
import { redactFault } from '../../../src/gateway/forward/upstream-fault.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { dig, digText } from '../dig.ts'
import type { Recording } from '../recordings/recording.ts'
import { schemaProblems } from '../schemas.ts'
import { type Case, of } from './assertion.ts'

const keyLike = /\b(?:sk|pk|rk)-[A-Za-z0-9*_-]{8,}|AIza[A-Za-z0-9_-]{8,}/

/** E1: each recorded error in the format of each client's protocol, with the type for its status, and without a key. */
export function e1ErrorBodies(recordings: readonly Recording[]): Case[] {
  return protocolNames.flatMap((upstream) =>
    protocolNames.map((client) => ({
      name: `E1 ${upstream} → ${client}: errors have the client’s format`,
      run: (judge) => {
        for (const recording of of(recordings, upstream)) {
          if (recording.status < 400) continue
          judge.check(recording.name, () => bodyProblems(recording, client))
        }
      },
    })),
  )
}

function bodyProblems(recording: Recording, client: ProtocolName): string[] {
  const { protocol, status, reply } = recording
  const text = reply.form === 'stream' ? reply.text.replace(/^data: /, '') : reply.text
  const told = redactFault(protocols[protocol].passThrough.readFault(status, text), undefined)
  const fault = foreignFault(told, protocol, client)
  const body = protocols[client].encodeFault(fault, 'req_1')
  // The schema of messages has no type for bodies that are too large; the live API has.
  const isListed = digText(body, 'error', 'type') !== 'request_too_large'
  const problems = isListed ? [...schemaProblems(recording, client, 'error', body)] : []
  if (keyLike.test(JSON.stringify(body))) problems.push(`a key is shown: ${JSON.stringify(body)}`)
  // Google answers an invalid key with 400. The key is the gateway's, so the client cannot correct anything.
  const isOurKey = text.includes('API_KEY_INVALID')
  if (isOurKey)
    return fault.code === 'upstream_error' ? problems : ['our key is the caller’s fault']
  if (status < 500 && fault.status !== status) problems.push(`status ${status} → ${fault.status}`)
  if (status >= 500 && fault.status < 500) problems.push(`status ${status} → ${fault.status}`)
  if (fault.code !== (status < 500 ? 'upstream_rejected' : 'upstream_error')) {
    problems.push(`status ${status} is the fault ${fault.code}`)
  }
  if (fault.message === '' || fault.message.includes('[object')) problems.push('no message')
  const words = wordsOf(text)
  if (words !== '' && !keyLike.test(words) && fault.message !== words) {
    problems.push(`message ${JSON.stringify(words)} → ${JSON.stringify(fault.message)}`)
  }
  return [...problems, ...typeProblems(client, body, fault, protocol)]
}

/** The upstream's own message, in the most common of its formats. */
function wordsOf(text: string): string {
  return /"error":\s*\{[^}]*?"message":\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]?.includes('\\')
    ? ''
    : (/"error":\s*\{[^}]*?"message":\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? '')
}

const messagesTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

const generateStatuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
}

function openAiTypes(status: number): readonly string[] {
  if (status === 429) return ['requests', 'tokens', 'rate_limit_error', 'rate_limit_exceeded']
  return status >= 500 ? ['server_error'] : ['invalid_request_error']
}

function typeProblems(
  client: ProtocolName,
  body: unknown,
  fault: Fault,
  upstream: ProtocolName,
): string[] {
  const { status } = fault
  if (client === 'messages') {
    const type = digText(body, 'error', 'type')
    const isGood = type === messagesTypes[status]
    return isGood ? [] : [`status ${status} has type ${type}`]
  }
  if (client === 'generate-content') {
    const seen = digText(body, 'error', 'status')
    // Only one vendor has the status 529; the others use 503.
    const codes = status === 529 ? [503, 529] : [status]
    const isGood =
      seen === generateStatuses[status] && codes.some((code) => code === dig(body, 'error', 'code'))
    return isGood ? [] : [`status ${status} is ${seen}, ${String(dig(body, 'error', 'code'))}`]
  }
  // Between the two protocols of one vendor the upstream's type and code stay.
  if (upstream === 'chat-completions' || upstream === 'responses') return []
  const type = digText(body, 'error', 'type')
  const code = openAiCodes[status]
  const seen = digText(body, 'error', 'code')
  return [
    ...(openAiTypes(status).includes(type) ? [] : [`status ${status} has type ${type}`]),
    ...(code === undefined || code === seen ? [] : [`status ${status} has code ${seen}`]),
  ]
}

/** The codes that clients depend on. */
const openAiCodes: Readonly<Record<number, string>> = {
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
  503: 'server_is_overloaded',
  529: 'server_is_overloaded',
}
