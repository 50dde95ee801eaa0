import { type Changer, optional } from './definition.ts'
import { orNull } from './kind.ts'
import { countKind } from './kinds.ts'

/** The rate limits of a resource. Null: none. */
export function limitFields<const By extends Changer>(by: By) {
  return {
    requestsPerMinute: optional(orNull(countKind(1)), null, {
      about: 'The most requests in a minute; not given: any number.',
      by,
    }),
    tokensPerMinute: optional(orNull(countKind(1)), null, {
      about: 'The most tokens in a minute, prompts and answers together; not given: any number.',
      by,
    }),
    concurrentRequests: optional(orNull(countKind(1)), null, {
      about: 'The most requests at the same time; not given: any number.',
      by,
    }),
  }
}
