import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { Fault } from '../core/fault.ts'
import { bodyTooLarge } from './body-too-large.ts'

type Unpack = (bytes: Uint8Array, limits: { maxOutputLength: number }) => Promise<Uint8Array>

const unzip: Unpack = promisify(gunzip)

const unpackers: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', unzip],
  ['x-gzip', unzip],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
])

/** A body that its client has packed, within the same limit as one that it has not. */
export async function unpackBody(
  packed: Promise<Uint8Array>,
  contentEncoding: string,
  bytesMax: number,
): Promise<Uint8Array> {
  const bytes = await packed
  const coding = contentEncoding.trim().toLowerCase()
  if (coding === '' || coding === 'identity') return bytes
  const unpack = unpackers.get(coding)
  if (!unpack) throw unknownCoding(coding)
  try {
    return await unpack(bytes, { maxOutputLength: bytesMax })
  } catch (cause) {
    throw isTooLarge(cause) ? bodyTooLarge(bytesMax) : notPacked(coding, cause)
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}

function unknownCoding(coding: string): Fault {
  const known = 'gzip, deflate, br, zstd'
  return new Fault(
    'invalid_request',
    `The request body has the Content-Encoding "${coding.slice(0, 50)}", which is not understood here. Send it as it is, or in one of: ${known}.`,
    { status: 415, headers: { 'accept-encoding': known } },
  )
}

function notPacked(coding: string, cause: unknown): Fault {
  return new Fault(
    'invalid_request',
    `The request body cannot be unpacked: it is not whole, or not what its Content-Encoding "${coding}" says.`,
    { cause },
  )
}
