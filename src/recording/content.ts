import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { turns } from '../core/runtime/turns.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { isObject, parseJson } from '../wire/json.ts'

export const sealPurpose = 'recording'

/** A body, possibly cut. */
export interface RecordedBody {
  /** The beginning, or all of it. */
  readonly bytes: Uint8Array
  /** The length of the whole body. */
  readonly length: number
}

export interface RecordedContent {
  readonly endUsers: readonly string[]
  readonly request: RecordedBody
  readonly response: RecordedBody
}

/* The compressed form: the length of the head, the head as JSON, the request, the response. */
const lengthBytes = 4
/** More than two bodies at the largest setting, and the head. */
const unpackedBytesMax = 160 * 1024 * 1024
const pieceBytes = 256 * 1024

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Compressed in a thread, then encrypted in turns of the event loop. */
export async function sealContent(vault: Vault, content: RecordedContent): Promise<string> {
  const { endUsers, request, response } = content
  const head = Buffer.from(
    JSON.stringify({
      endUsers,
      kept: request.bytes.length,
      request: request.length,
      response: response.length,
    }),
  )
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(head.length)
  const whole = Buffer.concat([length, head, request.bytes, response.bytes])
  return vault.sealSlowly(piecesOf(await compress(whole)), sealPurpose)
}

export async function openContent(vault: Vault, sealed: string): Promise<RecordedContent> {
  const packed = await vault.openBytes(sealed, sealPurpose)
  const whole = await decompress(packed, { maxOutputLength: unpackedBytesMax })
  await turns.next()
  const headEnd = lengthBytes + whole.readUInt32LE(0)
  const head = parseJson(whole.toString('utf8', lengthBytes, headEnd))
  if (!isObject(head)) throw new Error('the recording cannot be read')
  const { endUsers, kept, request, response } = head
  const requestEnd = headEnd + Number(kept)
  return {
    endUsers: Array.isArray(endUsers) ? endUsers.map(String) : [],
    request: { bytes: whole.subarray(headEnd, requestEnd), length: Number(request) },
    response: { bytes: whole.subarray(requestEnd), length: Number(response) },
  }
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}
