import { isUtf8 } from 'node:buffer'
import { turns } from '../../core/runtime/turns.ts'
import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import { protoRefused } from '../../wire/json-limits.ts'
import { scanJson } from '../../wire/scan-json.ts'
import { SlicedJson, unitsATurn } from '../../wire/sliced-json.ts'
import { ApiRefusal, refuse } from '../refusal.ts'
import { readNothing } from './read-input.ts'

/** Largest body: a list of a thousand models, or a private CA. */
const bodyBytesMax = 512 * 1024
/** Largest body without a sign-in: an email and a password. */
const strangersBytesMax = 16 * 1024

/** A longer text is parsed in several turns of the event loop, of a few milliseconds each. */
const atOnceCharacters = 256 * 1024
/** Limit of JSON names and values. The largest useful document has fewer. */
const nodesMax = 500_000
const depthMax = 128

/** Reads the JSON object in a request body. Refuses a body that two programs could read differently. */
export async function readBody(
  request: Request,
  isSignedIn: boolean,
  knownBytesMax = bodyBytesMax,
): Promise<JsonObject> {
  const type = request.headers.get('content-type') ?? ''
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (!/^application\/json\s*(?:;|$)/i.test(type) || encoding.toLowerCase() !== 'identity') {
    throw refuse('invalid_request', 'body_not_json')
  }
  const bytesMax = isSignedIn ? knownBytesMax : strangersBytesMax
  const text = await readText(request, bytesMax)
  const body =
    text.length > atOnceCharacters ? await parseSlowly(text, bytesMax) : parseAtOnce(text)
  if (!isObject(body)) throw refuse('invalid_request', 'body_not_object')
  return body
}

/**
 * Refuses a body with members for an operation without one. A program may believe that they mean something, such as an
 * amount for a reversal.
 */
export async function refuseMembers(request: Request): Promise<void> {
  const text = await readText(request, strangersBytesMax)
  if (text.trim() === '') return
  const body = parseJson(text)
  if (!isObject(body)) throw refuse('invalid_request', 'body_not_object')
  readNothing(body)
}

/** Undefined for text that is not JSON. */
function parseAtOnce(text: string): unknown {
  const value = parseJson(text)
  const scan = value === undefined ? undefined : scanJson(text, Number.POSITIVE_INFINITY)
  if (scan?.ok === false) throw ambiguous(scan.problem)
  return value
}

/** The API description allows every name in some objects, so the name `__proto__` breaks a rule outside of it. */
function ambiguous(why: string): ApiRefusal {
  const code = why === protoRefused ? 'unprocessable' : 'invalid_request'
  return refuse(code, 'body_ambiguous', { values: { why } })
}

/** The same in several turns. */
async function parseSlowly(text: string, bytesMax: number): Promise<unknown> {
  const limits = { depthMax, nodesMax, nameCharactersMax: bytesMax }
  const reader = new SlicedJson(text, limits, () => false)
  do await turns.next()
  while (!reader.run(unitsATurn))
  if (reader.isNotJson) return undefined
  if (reader.problem !== undefined && reader.isAmbiguous) throw ambiguous(reader.problem)
  if (reader.problem === undefined) return reader.root
  throw new ApiRefusal(
    'request_too_large',
    `The body cannot be read: ${reader.problem}. Send it in several parts.`,
  )
}

/** The client closed the connection, or the connection failed, before the body was complete. */
export class BodyCut extends Error {
  override readonly name = 'BodyCut'
}

async function readText(request: Request, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of arriving(request)) {
    length += piece.length
    if (length > bytesMax) {
      throw new ApiRefusal('request_too_large', `The body is larger than ${bytesMax} bytes.`)
    }
    pieces.push(piece)
  }
  const bytes = Buffer.concat(pieces)
  if (!isUtf8(bytes)) throw refuse('invalid_request', 'body_not_utf8')
  return bytes.toString('utf8')
}

async function* arriving({ body }: Request): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterable<Uint8Array> | null = body
  try {
    yield* pieces ?? []
  } catch (error) {
    throw new BodyCut('The body ended early.', { cause: error })
  }
}
