import { Fault } from '../core/fault.ts'

/**
 * The connection stays open: closing it while the caller is still sending would reset it, and the reset would
 * overtake this answer. What still comes is thrown away as it arrives.
 */
export function bodyTooLarge(bytesMax: number): Fault {
  return new Fault(
    'request_too_large',
    `The request body is larger than the ${bytesMax} bytes that this gateway takes.`,
  )
}
