import { backups } from '../support/gateway/test-provision.ts'
import type { TestProtocol } from '../support/protocols/test-protocol.ts'
import { allProtocols, sidePairs, testProtocols } from '../support/protocols/test-protocols.ts'
import type { Act, FaultKind, Place } from './fault.ts'

/**
 * The route of a request in the matrix. Each has its own model and upstream, so that no request affects the health of
 * another's.
 */
export interface Seat {
  readonly from: TestProtocol
  readonly to: TestProtocol
  readonly isStream: boolean
  /** Whether the route has a healthy upstream after the faulty one. */
  readonly isBacked: boolean
}

export interface Cell extends Seat {
  readonly fault: FaultKind
  readonly act: Act
  readonly model: string
}

export const seats: readonly Seat[] = allProtocols.flatMap((from) =>
  allProtocols.flatMap((to) =>
    [true, false].flatMap((isStream) =>
      [false, true].map((isBacked) => ({ from, to, isStream, isBacked })),
    ),
  ),
)

/** The name of the model and of its faulty upstream. */
export function seatName(place: Place, { from, to, isStream, isBacked }: Seat): string {
  const shape = isStream ? 'stream' : 'whole'
  return `${place}.${to.name}.${from.name}.${shape}.${isBacked ? 'backed' : 'alone'}`
}

/** Of the sides of translations those with a healthy upstream behind, of what passes unchanged those without. */
function isSide({ from, to, isBacked }: Seat): boolean {
  const isTaken = sidePairs.some((pair) => pair.from === from && pair.to === to)
  return isTaken && isBacked === (from !== to)
}

export function cellsOf(fault: FaultKind): readonly Cell[] {
  const taken = fault.isLarge === true ? seats.filter(isSide) : seats
  return taken.map((seat) => ({
    ...seat,
    fault,
    act: seat.isStream ? fault.stream : fault.whole,
    model: seatName(fault.place, seat),
  }))
}

/** The backup upstream speaks another protocol than the faulty one. */
export function backupOf({ to }: Seat): TestProtocol {
  return testProtocols[backups[to.name]]
}

export const healthyId = (protocol: TestProtocol) => `healthy.${protocol.name}`
