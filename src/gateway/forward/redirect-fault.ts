import { Fault } from '../../core/fault.ts'
import type { UpstreamResponse } from '../../http-out/reply.ts'
import type { FailedAttempt } from './failed-attempt.ts'

/**
 * A response that does not come from the upstream's API: a redirect, which is not followed because it would leak the
 * credential, or a proxy that rejects its password. Undefined for every other response.
 */
export function redirectFault(
  attempt: FailedAttempt,
  { status, headers }: UpstreamResponse,
): Fault | undefined {
  const { id } = attempt.candidate.route.upstream
  if (status === 407) {
    return new Fault(
      'upstream_error',
      'The gateway has no access to the upstream. Ask the operator to fix this.',
      {
        operatorMessage: `upstream ${id}: its proxy refuses the user or password (HTTP 407)`,
      },
    )
  }
  if (status < 300 || status > 399) return undefined
  return new Fault(
    'upstream_error',
    'The upstream answered with a redirect, which the gateway does not follow. Ask the operator to correct the base URL.',
    {
      operatorMessage: `upstream ${id} answered ${status} and redirects to ${originOf(headers.get('location'))}, which is not followed: if it has moved, change its base URL`,
    },
  )
}

/** Without path and query, which may contain a token. */
function originOf(location: string | null): string {
  if (location === null) return 'nowhere'
  return URL.canParse(location) ? new URL(location).origin : 'another path'
}
