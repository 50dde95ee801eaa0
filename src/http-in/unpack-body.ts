import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { Fault } from '../core/fault.ts'
import type { BodyShare } from './body-budget.ts'
import { bodyTooLarge } from './body-too-large.ts'

const usualRatio = 32
const usualBytesMin = 64 * 1024

type Unpack = (bytes: Uint8Array, limits: { maxOutputLength: number }) => Promise<Uint8Array>

const unzip: Unpack = promisify(gunzip)

const unpackers: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', unzip],
  ['x-gzip', unzip],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
])

/** Decompresses a body within the size limit that applies to an uncompressed body. */
export async function unpackBody(
  packed: Promise<Uint8Array>,
  contentEncoding: string,
  bytesMax: number,
  share: BodyShare,
): Promise<Uint8Array> {
  const bytes = await packed
  const coding = contentEncoding.trim().toLowerCase()
  if (coding === '' || coding === 'identity') return bytes
  const unpack = unpackers.get(coding)
  if (!unpack) throw unknownCoding(coding)
  // Text compresses to about a tenth. A body with a far better ratio counts as a decompression bomb until the budget
  // has room for the maximum.
  const usual = Math.min(bytesMax, bytes.length * usualRatio + usualBytesMin)
  for (const maxOutputLength of usual < bytesMax ? [usual, bytesMax] : [bytesMax]) {
    share.take(maxOutputLength)
    try {
      const plain = await unpack(bytes, { maxOutputLength })
      share.release()
      share.take(plain.length)
      return plain
    } catch (cause) {
      if (cause instanceof Fault) throw cause
      if (!isTooLarge(cause)) throw notPacked(coding, cause)
    }
  }
  throw bodyTooLarge(bytesMax)
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}

function unknownCoding(coding: string): Fault {
  const known = 'gzip, deflate, br, zstd'
  return new Fault(
    'invalid_request',
    `The request body has the Content-Encoding "${coding.slice(0, 50)}", which is not supported. Send the body without compression, or with one of: ${known}.`,
    { status: 415, headers: { 'accept-encoding': known } },
  )
}

function notPacked(coding: string, cause: unknown): Fault {
  return new Fault(
    'invalid_request',
    `The request body cannot be decompressed: it is incomplete, or not in the format of its Content-Encoding "${coding}".`,
    { cause },
  )
}
