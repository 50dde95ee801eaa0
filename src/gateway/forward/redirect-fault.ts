import { Fault } from '../../core/fault.ts'
import type { UpstreamResponse } from '../../http-out/reply.ts'
import type { Attempt } from './attempt.ts'

/**
 * A response that does not come from the upstream's API: a redirect, which is not followed because it would leak the
 * credential, or a proxy that rejects its password. Undefined for every other response.
 */
export function redirectFault(
  attempt: Attempt,
  { status, headers }: UpstreamResponse,
): Fault | undefined {
  const { id } = attempt.candidate.route.upstream
  if (status === 407) {
    return new Fault('upstream_error', 'The way to the upstream is closed to the gateway.', {
      operatorMessage: `upstream ${id}: its proxy refuses the user or password (HTTP 407)`,
    })
  }
  if (status < 300 || status > 399) return undefined
  return new Fault('upstream_error', 'The upstream redirects elsewhere, which is not followed.', {
    operatorMessage: `upstream ${id} answered ${status} and redirects to ${placeOf(headers.get('location'))}, which is not followed: if it has moved, change its base URL`,
  })
}

/** Without path and query, which may contain a token. */
function placeOf(location: string | null): string {
  if (location === null) return 'nowhere'
  return URL.canParse(location) ? new URL(location).origin : 'another path'
}
