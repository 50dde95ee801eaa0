import { readJsonBody } from '../../src/gateway/admit/read-json-body.ts'
import type { JsonBody } from '../../src/protocols/request-facts.ts'

/** Parses a body that is short enough for one turn, as the gateway does. */
export function readAtOnce(text: string): JsonBody {
  const body = readJsonBody(Buffer.from(text), (prefix) => prefix)
  if (body instanceof Promise) throw new Error('the text is too long to be read at once')
  return body
}
