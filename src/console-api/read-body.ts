import { isObject, type JsonObject, parseJson } from '../wire/json.ts'
import { Refusal, refuse } from './refusal.ts'

/** A list of a thousand models, or a private CA, is the largest that anybody sends here … */
const bodyBytesMax = 512 * 1024
/** … and who is not signed in sends a name and a password. */
const strangersBytesMax = 16 * 1024

/** The JSON object that a change carries. */
export async function readBody(
  request: Request,
  isSignedIn: boolean,
  knownBytesMax = bodyBytesMax,
): Promise<JsonObject> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\b/i.test(type)) {
    throw refuse('invalid_request', 'body_not_json')
  }
  const body = parseJson(await readText(request, isSignedIn ? knownBytesMax : strangersBytesMax))
  if (!isObject(body)) throw refuse('invalid_request', 'body_not_object')
  return body
}

async function readText(request: Request, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  const body: AsyncIterable<Uint8Array> | null = request.body
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > bytesMax) {
      throw new Refusal('request_too_large', `The body is larger than ${bytesMax} bytes.`)
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
