import type { Fault } from '../../core/fault.ts'
import type { Attempt } from '../forward/attempt.ts'
import { faultOfError } from '../forward/upstream-fault.ts'
import { limits } from '../limits.ts'
import type { StreamRead, StreamSource } from './stream-source.ts'

/** How the reading of a stream ended whose caller had gone. */
export interface Rest {
  /** What the answer costs is known: it has come to its end, or has reported the usage of all of it. */
  readonly isComplete: boolean
  /** What went wrong with the upstream; undefined when nothing did, or when we stopped reading. */
  readonly fault: Fault | undefined
}

/**
 * Reads what is left of a stream and throws it away, to learn what it costs: as long as the attempt may last, and
 * within the limits of tokens, bytes and money. `next` is a read that is already under way.
 */
export async function readRest(
  source: StreamSource,
  attempt: Attempt,
  next: Promise<StreamRead> | undefined,
): Promise<Rest> {
  source.tap.forsake?.()
  const tokens = () => source.tap.reading().deliveredTokens()
  const tokensMax = tokens() + limits.readOnTokensMax
  const bytesMax = source.receivedBytes + limits.readOnBytesMax
  for (let pending = next; ; pending = undefined) {
    if (!pending && isKnown(source)) return { isComplete: true, fault: undefined }
    let read: StreamRead
    try {
      read = await (pending ?? source.read())
    } catch (error) {
      const isOurs = attempt.stopReason !== undefined
      return { isComplete: false, fault: isOurs ? undefined : faultOfError(attempt, error) }
    }
    if (read.fault) return { isComplete: false, fault: read.fault }
    if (read.terminator) return { isComplete: true, fault: undefined }
    const isEnough = tokens() > tokensMax || source.receivedBytes > bytesMax
    // Nothing more is set aside for somebody who has gone.
    if (isEnough || attempt.stopReason !== undefined || source.slices?.isShort(tokens()) === true)
      return { isComplete: false, fault: undefined }
  }
}

function isKnown({ tap }: StreamSource): boolean {
  const { usage, isUsageInterim, isFinished } = tap.reading()
  return usage !== undefined && isUsageInterim !== true && isFinished === true
}
