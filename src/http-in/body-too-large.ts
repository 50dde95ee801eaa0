import { Fault } from '../core/fault.ts'

/**
 * The connection stays open. Closing the connection while the caller is still sending would reset it, and the reset
 * could overtake this answer. Further bytes are discarded as they arrive.
 */
export function bodyTooLarge(bytesMax: number): Fault {
  return new Fault(
    'request_too_large',
    `The request body is larger than ${bytesMax} bytes, the limit of this gateway. Send a smaller body.`,
  )
}
