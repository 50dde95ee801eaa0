import type { Fault } from '../../core/fault.ts'
import type { Attempt } from '../forward/attempt.ts'
import { faultOfError } from '../forward/upstream-fault.ts'
import { limits } from '../limits.ts'
import type { StreamRead, StreamSource } from './stream-source.ts'

/** How reading a stream ended after its client had disconnected. */
export interface RestOfStream {
  /** The cost is known: the stream has reached its end, or has reported its full usage. */
  readonly isComplete: boolean
  /** The upstream's failure; undefined when there was none, or when the gateway stopped reading. */
  readonly fault: Fault | undefined
}

/**
 * Reads and discards the rest of a stream to learn its cost, as long as the attempt may last and within the limits of
 * tokens, bytes and money. `next` is a pending read.
 */
export async function readRest(
  source: StreamSource,
  attempt: Attempt,
  next: Promise<StreamRead> | undefined,
): Promise<RestOfStream> {
  source.tap.abandon?.()
  const tokens = () => source.tap.reading().deliveredTokens()
  const tokensMax = tokens() + limits.readOnTokensMax
  const bytesMax = source.receivedBytes + limits.readOnBytesMax
  for (let pending = next; ; pending = undefined) {
    if (!pending && isKnown(source)) return { isComplete: true, fault: undefined }
    let read: StreamRead
    try {
      read = await (pending ?? source.read())
    } catch (error) {
      const isStoppedHere = attempt.stopReason !== undefined
      return { isComplete: false, fault: isStoppedHere ? undefined : faultOfError(attempt, error) }
    }
    if (read.fault) return { isComplete: false, fault: read.fault }
    if (read.terminator) return { isComplete: true, fault: undefined }
    const isEnough = tokens() > tokensMax || source.receivedBytes > bytesMax
    // The hold is not extended for a client that has disconnected.
    if (isEnough || attempt.stopReason !== undefined || source.slices?.isShort(tokens()) === true)
      return { isComplete: false, fault: undefined }
  }
}

function isKnown({ tap }: StreamSource): boolean {
  const { usage, isUsageInterim, isFinished } = tap.reading()
  return usage !== undefined && isUsageInterim !== true && isFinished === true
}
