import { backups } from '../support/gateway/test-provision.ts'
import type { Tongue } from '../support/tongues/tongue.ts'
import { allTongues, tongues } from '../support/tongues/tongues.ts'
import type { Act, FaultKind, Place } from './fault.ts'

/** Where a request of the matrix goes: every one has a model and an upstream of its own, so that none tires another's. */
export interface Seat {
  readonly from: Tongue
  readonly to: Tongue
  readonly isStream: boolean
  /** Whether a healthy upstream stands behind the ill one. */
  readonly isBacked: boolean
}

export interface Cell extends Seat {
  readonly fault: FaultKind
  readonly act: Act
  readonly model: string
}

export const seats: readonly Seat[] = allTongues.flatMap((from) =>
  allTongues.flatMap((to) =>
    [true, false].flatMap((isStream) =>
      [false, true].map((isBacked) => ({ from, to, isStream, isBacked })),
    ),
  ),
)

/** The name of its model, and of its ill upstream. */
export function seatName(place: Place, { from, to, isStream, isBacked }: Seat): string {
  const shape = isStream ? 'stream' : 'whole'
  return `${place}.${to.name}.${from.name}.${shape}.${isBacked ? 'backed' : 'alone'}`
}

export function cellsOf(fault: FaultKind): readonly Cell[] {
  return seats.map((seat) => ({
    ...seat,
    fault,
    act: seat.isStream ? fault.stream : fault.whole,
    model: seatName(fault.place, seat),
  }))
}

/** The one that answers instead speaks another protocol than the ill one. */
export function backupOf({ to }: Seat): Tongue {
  return tongues[backups[to.name]]
}

export const healthyId = (tongue: Tongue) => `healthy.${tongue.name}`
