import type { ResponseStore } from '../conversations/response-store.ts'
import { Fault } from '../core/fault.ts'
import type { JsonBody, Protocol } from '../protocols/protocol.ts'
import type { Caller } from './authenticate.ts'
import { readJsonText } from './read-json-body.ts'

/** A request that goes on from an earlier response, made whole. */
export interface Resumed {
  readonly body: JsonBody
  /** The id that the body no longer holds, because what it stood for is in it. */
  readonly from: string | undefined
  /** The only upstream that knows the earlier response. */
  readonly upstreamId: string | undefined
}

/** Whether the body refers to an earlier response. */
export function refersBack({ continuing }: Protocol, { value }: JsonBody): boolean {
  return continuing !== undefined && typeof value['previous_response_id'] === 'string'
}

/**
 * Puts what was said before in front of the request, or finds the upstream that remembers it. An id that this
 * key has not made is unknown, whatever an upstream might say to it: its account is shared by all our keys.
 */
export async function resumeResponse(
  protocol: Protocol,
  body: JsonBody,
  caller: Caller,
  responses: ResponseStore,
): Promise<Resumed> {
  const id = String(body.value['previous_response_id'])
  const stored = await responses.find(caller.key.id, id)
  if (!stored) throw responseNotFound(id)
  if (!stored.content || !protocol.continuing) {
    return { body, from: undefined, upstreamId: stored.upstreamId }
  }
  const text = protocol.continuing.expandInput(body.text, stored.content.items)
  return { body: readJsonText(text), from: id, upstreamId: undefined }
}

function responseNotFound(id: string): Fault {
  return new Fault(
    'previous_response_not_found',
    `There is no response "${id.slice(0, 100)}" of this API key, or it was not stored, or its time is over. Send the whole conversation in "input" instead.`,
    { param: 'previous_response_id' },
  )
}
