import { createHash } from 'node:crypto'
import { isObject, parseJson } from '../../wire/json.ts'
import type { DemoExchange, DemoFault } from './demo-protocol.ts'
import { countInputTokens, planAnswer } from './plan-answer.ts'
import { type DemoRoute, routeRequest } from './route-request.ts'
import {
  frameAsArray,
  frameAsSse,
  type Pace,
  paceFrames,
  type Sleep,
  systemSleep,
} from './stream-body.ts'

export interface DemoUpstreamOptions {
  /** The delay before each word of a streamed answer. */
  readonly wordDelayMs?: number
  readonly sleep?: Sleep
}

/** A model service in one function: all four protocols, no network, deterministic answers. */
export function createDemoUpstream(
  options: DemoUpstreamOptions = {},
): (request: Request) => Promise<Response> {
  const pace = { wordDelayMs: 15, sleep: systemSleep, ...options }
  return async (request) => {
    const route = routeRequest(request)
    const { pathname } = new URL(request.url)
    if (route.action === 'list') return Response.json(route.protocol.models)
    if (route.action === undefined) {
      const message = `The demo upstream has no ${request.method} ${pathname}.`
      return refuse(route, { status: 404, message })
    }
    const bodyText = await request.text()
    const body = parseJson(bodyText)
    if (!isObject(body)) {
      return refuse(route, { status: 400, message: 'The body is not a JSON object.' })
    }
    const { protocol } = route
    const question = protocol.readQuestion(body, route)
    if ('status' in question) return refuse(route, question)
    if (route.action === 'count') {
      return Response.json({ [protocol.countField ?? '']: countInputTokens(question) })
    }
    const hex = createHash('sha256').update(`${pathname}\n${bodyText}`).digest('hex')
    const exchange: DemoExchange = {
      body,
      question,
      answer: planAnswer(question),
      newId: (prefix, ordinal = 0) =>
        `${prefix}${hex.slice(0, 22)}${ordinal.toString(16).padStart(2, '0')}`,
      signature: btoa(`tollgate-demo:${hex}`),
    }
    return answer(route, exchange, pace, request.signal)
  }
}

function refuse({ protocol, isArray }: DemoRoute, fault: DemoFault): Response {
  const body = protocol.encodeFault(fault)
  // A client that reads a JSON array also expects an error inside an array.
  return Response.json(isArray ? [body] : body, { status: fault.status })
}

function answer(
  { protocol, isArray }: DemoRoute,
  exchange: DemoExchange,
  pace: Pace,
  signal: AbortSignal,
): Response {
  const requestId = exchange.newId('req_')
  const headers = { 'x-request-id': requestId, 'request-id': requestId }
  if (!exchange.question.stream) return Response.json(protocol.encodeReply(exchange), { headers })
  const steps = protocol.encodeEvents(exchange)
  const frames = isArray ? frameAsArray(steps) : frameAsSse(steps, protocol.newline)
  const type = isArray ? 'application/json; charset=UTF-8' : 'text/event-stream; charset=utf-8'
  return new Response(paceFrames(frames, pace, signal), {
    headers: { ...headers, 'content-type': type, 'cache-control': 'no-cache' },
  })
}
