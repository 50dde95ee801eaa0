import { isObject, type JsonObject, parseJson, stringAt } from '../wire/json.ts'
import { Refusal } from './refusal.ts'

const bodyBytesMax = 16 * 1024

/** The JSON object that a change carries; nothing the console takes is large. */
export async function readBody(request: Request): Promise<JsonObject> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\b/i.test(type)) {
    throw new Refusal(
      'invalid_request',
      'The body must be JSON, with content-type application/json.',
    )
  }
  const body = parseJson(await readText(request))
  if (!isObject(body)) throw new Refusal('invalid_request', 'The body is not a JSON object.')
  return body
}

async function readText(request: Request): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  const body: AsyncIterable<Uint8Array> | null = request.body
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > bodyBytesMax) {
      throw new Refusal('request_too_large', `The body is larger than ${bodyBytesMax} bytes.`)
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** A text field that must be there; `charactersMax` bounds the work that it can cause. */
export function requiredText(body: JsonObject, name: string, charactersMax: number): string {
  const text = stringAt(body, name)
  if (text === undefined || text === '' || text.length > charactersMax) {
    const message = `${name} must be text of 1 to ${charactersMax} characters.`
    throw new Refusal('invalid_request', message)
  }
  return text
}
