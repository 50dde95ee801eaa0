import { type Changer, optional } from './definition.ts'
import { orNull } from './kind.ts'
import { countKind } from './kinds.ts'

export const limitKind = orNull(countKind(1))
const about = {
  requestsPerMinute: 'Maximum requests per minute; none by default.',
  tokensPerMinute: 'Maximum tokens per minute, input and output together; none by default.',
  concurrentRequests: 'Maximum requests at the same time; none by default.',
}

/** The rate limits of a resource. Null: none. */
export function limitFields<const By extends Changer>(by: By) {
  return {
    requestsPerMinute: optional(limitKind, null, { about: about.requestsPerMinute, by }),
    tokensPerMinute: optional(limitKind, null, { about: about.tokensPerMinute, by }),
    concurrentRequests: optional(limitKind, null, { about: about.concurrentRequests, by }),
  }
}

/** The same for a resource whose settings stay unchanged when a file does not name them. */
export function keptLimitFields<const By extends Changer>(by: By) {
  const options = { by, absent: 'keep' } as const
  return {
    requestsPerMinute: optional(limitKind, null, { about: about.requestsPerMinute, ...options }),
    tokensPerMinute: optional(limitKind, null, { about: about.tokensPerMinute, ...options }),
    concurrentRequests: optional(limitKind, null, { about: about.concurrentRequests, ...options }),
  }
}

/** The names of these fields. */
export const limitNames = ['requestsPerMinute', 'tokensPerMinute', 'concurrentRequests'] as const
