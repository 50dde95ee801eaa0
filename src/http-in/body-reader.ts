import { Fault } from '../core/fault.ts'
import type { Arrival } from '../core/network/arrival.ts'
import { DenseSet, type DenseSetMember } from '../core/runtime/dense-set.ts'
import { plural } from '../core/text/plural.ts'
import type { Clock } from '../core/time/clock.ts'
import type { BodyShare } from './body-budget.ts'
import { bodyTooLarge } from './body-too-large.ts'
import { unpackBody } from './unpack-body.ts'

export interface BodyLimits {
  readonly bodyBytesMax: number
  /** From the headers to the last byte of the body. */
  readonly bodyMs: number
  /** Limit for all bodies that the process holds. */
  readonly bodiesInFlightBytesMax: number
}

/** A declared length reserves nothing. A larger body is counted as it arrives, like a body without a length. */
const wholeBytesMax = 64 * 1024

interface Reading extends DenseSetMember {
  readonly deadlineMs: number
  readonly reject: (fault: Fault) => void
}

/**
 * Reads whole bodies within the limits of size and time; 413 or 408 beyond them. A small body with a declared length is
 * read whole and not as a stream: creating the stream alone would cost more than reading the body.
 */
export class BodyReader {
  readonly #limits: BodyLimits
  readonly #clock: Clock
  /** All readings have the same time limit, so one timer for the oldest reading is enough. */
  readonly #readings = new DenseSet<Reading>()
  #isTimerSet = false

  constructor(limits: BodyLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  read(
    request: Request,
    headers: Headers,
    startedMs: number,
    arrival: Arrival | undefined,
    share: BodyShare,
  ): Promise<Uint8Array> {
    const { bodyBytesMax, bodyMs } = this.#limits
    const deadlineMs = startedMs + bodyMs
    const declared = headers.get('content-length')
    if (Number(declared) > bodyBytesMax) throw bodyTooLarge(bodyBytesMax)
    const isSmall = declared !== null && Number(declared) <= wholeBytesMax
    if (isSmall) share.take(Number(declared))
    const bytes = isSmall ? request.bytes() : readPieces(request, bodyBytesMax, share)
    const coding = headers.get('content-encoding')
    const plain = coding === null ? bytes : unpackBody(bytes, coding, bodyBytesMax, share)
    return this.#inTime(plain, deadlineMs, arrival)
  }

  #inTime(
    bytes: Promise<Uint8Array>,
    deadlineMs: number,
    arrival: Arrival | undefined,
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const reading: Reading = { deadlineMs, reject, denseIndex: undefined }
      this.#readings.add(reading)
      if (!this.#isTimerSet) this.#setTimer(this.#limits.bodyMs)
      bytes.then(
        (whole) => {
          this.#readings.remove(reading)
          arrival?.hold()
          resolve(whole)
        },
        (error: unknown) => {
          this.#readings.remove(reading)
          reject(asBodyFault(error))
        },
      )
    })
  }

  #setTimer(delayMs: number): void {
    this.#isTimerSet = true
    setTimeout(() => this.#refuseSlow(), delayMs).unref()
  }

  #refuseSlow(): void {
    this.#isTimerSet = false
    const nowMs = this.#clock.monotonicMs()
    let nextMs: number | undefined
    for (const reading of this.#readings.list()) {
      const leftMs = reading.deadlineMs - nowMs
      if (leftMs > 0) nextMs = Math.min(leftMs, nextMs ?? leftMs)
      else if (this.#readings.remove(reading)) reading.reject(slow(this.#limits.bodyMs))
    }
    if (nextMs !== undefined) this.#setTimer(nextMs)
  }
}

async function readPieces(
  request: Request,
  bytesMax: number,
  share: BodyShare,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length
    if (length > bytesMax) throw bodyTooLarge(bytesMax)
    share.take(piece.length)
    pieces.push(piece)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function asBodyFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  return new Fault(
    'invalid_request',
    'The request body ended before it was complete. Send it again.',
    {
      cause: error,
    },
  )
}

function slow(bodyMs: number): Fault {
  return new Fault(
    'request_timeout',
    `The request body did not arrive within ${plural(bodyMs / 1_000, 'second')}. Send it again, or send less.`,
    {
      headers: { connection: 'close' },
    },
  )
}
