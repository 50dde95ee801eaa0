import { readJsonBody } from '../../src/gateway/admit/read-json-body.ts'
import type { JsonBody } from '../../src/protocols/protocol.ts'

/** A body that is short enough to be read in one turn, as the gateway reads it. */
export function readAtOnce(text: string): JsonBody {
  const body = readJsonBody(Buffer.from(text), (prefix) => prefix)
  if (body instanceof Promise) throw new Error('the text is too long to be read at once')
  return body
}
