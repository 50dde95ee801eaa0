import type { Behaviour } from './behaviour.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** `next` matches the next request once, whatever it is; the other rules apply until reset. */
export type RequestMatch =
  | 'next'
  | { readonly path?: string; readonly bodyIncludes?: string }
  | ((request: RecordedRequest) => boolean)

export interface ScriptBook {
  add(match: RequestMatch, behaviour: Behaviour): void
  choose(request: RecordedRequest): Behaviour
  reset(): void
}

/** Chooses the behaviour of a request: `next` rules in order, then the newest matching rule, then the demo. */
export function createScriptBook(): ScriptBook {
  const queue: Behaviour[] = []
  const rules: { match: Exclude<RequestMatch, 'next'>; behaviour: Behaviour }[] = []
  return {
    add(match, behaviour) {
      if (match === 'next') queue.push(behaviour)
      else rules.unshift({ match, behaviour })
    },
    choose(request) {
      const rule = rules.find(({ match }) => matches(match, request))
      return queue.shift() ?? rule?.behaviour ?? { kind: 'demo' }
    },
    reset() {
      queue.length = 0
      rules.length = 0
    },
  }
}

function matches(match: Exclude<RequestMatch, 'next'>, request: RecordedRequest): boolean {
  if (typeof match === 'function') return match(request)
  const [path] = request.path.split('?')
  if (match.path !== undefined && match.path !== path) return false
  return request.body.includes(match.bodyIncludes ?? '')
}
