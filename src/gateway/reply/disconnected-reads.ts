import type { Route } from '../../catalog/catalog-snapshot.ts'
import { vendors } from '../../vendors/index.ts'
import { limits } from '../limits.ts'

/** How long a response is read after its client has disconnected. */
export function readAfterDisconnectMs(
  route: Route,
  answer: { isStream: boolean; isFinished: boolean },
): number {
  // Nothing more is generated once the answer is complete: only its usage is missing.
  return answer.isFinished || billsOn(route, answer.isStream) ? limits.readOnMs : limits.graceMs
}

/** Whether the vendor generates and bills the full answer although the connection was closed. */
function billsOn({ upstream }: Route, isStream: boolean): boolean {
  if (upstream.billsOnAbort !== undefined) return upstream.billsOnAbort
  return !isStream || (vendors.get(upstream.vendor)?.billsAbortedStreams ?? true)
}
