import type { JsonObject } from '../wire/json.ts'
import { countInputTokens } from './count-input-tokens.ts'
import { isRefusal } from './question.ts'
import { refuseRequest } from './refuse-request.ts'
import type { CountRoute } from './route-request.ts'

export function countRequest(route: CountRoute, body: JsonObject): Response {
  const reading = route.protocol.readQuestion(body)
  if (isRefusal(reading)) {
    return refuseRequest(route, { status: 400, message: reading.refusal, param: reading.param })
  }
  return Response.json({ [route.field]: countInputTokens(reading) })
}
