import { isObject, parseJson } from '../wire/json.ts'
import { answerRequest } from './answer-request.ts'
import { countRequest } from './count-request.ts'
import { modelLists } from './model-lists.ts'
import type { Pace, Sleep } from './pace-frames.ts'
import { refuseRequest } from './refuse-request.ts'
import { routeRequest } from './route-request.ts'
import { sleepUntilAbort } from './sleep-until-abort.ts'

export interface DemoUpstreamOptions {
  /** The delay before each word of a streamed answer. */
  readonly wordDelayMs?: number
  readonly sleep?: Sleep
}

/** A model service in one function: all four protocols, no network, deterministic answers. */
export function createDemoUpstream(
  options: DemoUpstreamOptions = {},
): (request: Request) => Promise<Response> {
  const pace: Pace = {
    wordDelayMs: options.wordDelayMs ?? 15,
    sleep: options.sleep ?? sleepUntilAbort,
  }
  return async (request) => {
    const route = routeRequest(request)
    if (route.kind === 'models') return Response.json(modelLists[route.flavour])
    if (route.kind === 'unknown') {
      const message = `The demo upstream has no ${request.method} ${new URL(request.url).pathname}.`
      return refuseRequest(route, { status: 404, message })
    }
    const bodyText = await request.text()
    const body = parseJson(bodyText)
    if (!isObject(body)) {
      return refuseRequest(route, { status: 400, message: 'The body is not a JSON object.' })
    }
    if (route.kind === 'count') return countRequest(route, body)
    return answerRequest(route, { request, bodyText, body }, pace)
  }
}
