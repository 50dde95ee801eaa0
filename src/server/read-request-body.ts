import { Fault } from '../core/fault.ts'

export interface BodyLimits {
  readonly bodyBytesMax: number
  /** From the headers to the last byte of the body. */
  readonly bodyMs: number
}

/**
 * The whole body within the limits of size and time; 413 or 408 past them. A body of declared length is asked for
 * whole, and never as a stream: making the stream alone would cost more than reading the body.
 */
export async function readRequestBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared === null) return inTime(readPieces(request, limits.bodyBytesMax), limits.bodyMs)
  if (Number(declared) > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax)
  return inTime(request.bytes(), limits.bodyMs)
}

function inTime(reading: Promise<Uint8Array>, bodyMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(slow(bodyMs)), bodyMs)
    reading.then(
      (bytes) => {
        clearTimeout(timer)
        resolve(bytes)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(asBodyFault(error))
      },
    )
  })
}

/** Without a declared length the body is counted as it comes. */
async function readPieces(request: Request, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length
    if (length > bytesMax) throw tooLarge(bytesMax)
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
  return new Fault('invalid_request', 'The request body ended before it was complete.', {
    cause: error,
  })
}

/**
 * The connection stays open: closing it while the caller is still sending would reset it, and the reset would
 * overtake this answer. What still comes is thrown away as it arrives.
 */
function tooLarge(bytesMax: number): Fault {
  return new Fault(
    'request_too_large',
    `The request body is larger than the ${bytesMax} bytes that this gateway takes.`,
  )
}

function slow(bodyMs: number): Fault {
  return new Fault(
    'request_timeout',
    `The request body did not arrive within ${bodyMs / 1_000} seconds.`,
    {
      headers: { connection: 'close' },
    },
  )
}
