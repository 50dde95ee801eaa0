import type { JsonObject } from '../wire/json.ts'
import type { DemoExchange } from './demo-protocol.ts'
import { type Frame, frameAsArray, frameAsSse } from './frame-steps.ts'
import { type Pace, paceFrames } from './pace-frames.ts'
import { planAnswer } from './plan-answer.ts'
import { isRefusal } from './question.ts'
import { refuseRequest } from './refuse-request.ts'
import type { AnswerRoute } from './route-request.ts'
import { deriveSeed, seededId } from './seed.ts'

export interface AnswerableCall {
  readonly request: Request
  readonly bodyText: string
  readonly body: JsonObject
}

export async function answerRequest(
  route: AnswerRoute,
  { request, bodyText, body }: AnswerableCall,
  pace: Pace,
): Promise<Response> {
  const question = route.protocol.readQuestion(body)
  if (isRefusal(question)) {
    return refuseRequest(route, { status: 400, message: question.refusal, param: question.param })
  }
  const seed = await deriveSeed(new URL(request.url).pathname, bodyText)
  const exchange = { body, question, answer: planAnswer(question), seed }
  const requestId = seededId(seed, 'req_')
  const headers = { 'x-request-id': requestId, 'request-id': requestId }
  if (!question.stream) return Response.json(route.protocol.encodeReply(exchange), { headers })

  const isArray = route.framing === 'json-array'
  const type = isArray ? 'application/json; charset=UTF-8' : 'text/event-stream; charset=utf-8'
  return new Response(paceFrames(frame(route, exchange), pace, request.signal), {
    headers: { ...headers, 'content-type': type, 'cache-control': 'no-cache' },
  })
}

function frame(route: AnswerRoute, exchange: DemoExchange): Iterable<Frame> {
  const steps = route.protocol.encodeEvents(exchange)
  if (route.framing === 'json-array') return frameAsArray(steps)
  return frameAsSse(steps, route.framing === 'sse-crlf' ? '\r\n' : '\n')
}
