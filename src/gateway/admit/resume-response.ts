import type { ResponseStore, StoredResponse } from '../../conversations/response-store.ts'
import { Fault } from '../../core/fault.ts'
import { joinSlowly } from '../../core/runtime/join-slowly.ts'
import type { Continuing, Protocol } from '../../protocols/protocol.ts'
import type { JsonBody } from '../../protocols/request-facts.ts'
import type { Pin } from '../../routing/plan-params.ts'
import type { JsonObject } from '../../wire/json.ts'
import { replyIdOf } from '../reply/reply-ids.ts'
import type { Caller } from './authenticate.ts'
import { readJsonBody } from './read-json-body.ts'

/** A request that continues an earlier response, completed. */
export interface Resumed {
  readonly body: JsonBody
  /** The id that the body no longer contains, because the earlier response itself has been inserted. */
  readonly from: string | undefined
  /** The upstream that stores the earlier response, when this gateway does not. */
  readonly pin: Pin | undefined
  /** The tokens of the earlier response's turn, if they are known. The model of the pin has counted them. */
  readonly lastTurnTokens: number | undefined
}

export interface ResumeDeps {
  readonly responses: ResponseStore
  mint(prefix: string): string
}

/** The newest list of a conversation contains its earlier items, so one lookup is nearly always enough. */
const lookupsMax = 50

/** Whether the body refers to an earlier response or to items of one. */
export function refersBack({ continuing }: Protocol, { value }: JsonBody): boolean {
  if (!continuing) return false
  const isResumed = typeof value['previous_response_id'] === 'string'
  return isResumed || continuing.referredItems(value).length > 0
}

/**
 * Inserts the earlier turns into the request, or finds the upstream that stores them. An id that this key has not
 * created is unknown, whatever an upstream would answer: all our keys share the upstream's account.
 */
export async function resumeResponse(
  protocol: Protocol,
  body: JsonBody,
  caller: Caller,
  { responses, mint }: ResumeDeps,
): Promise<Resumed> {
  const { continuing } = protocol
  const id = body.value['previous_response_id']
  const unchanged = { body, from: undefined, pin: undefined, lastTurnTokens: undefined }
  if (!continuing) return unchanged
  const referred = await findLists(continuing, body.value, caller, responses)
  if (typeof id !== 'string') {
    // Items unknown to this gateway may be stored at an upstream.
    if (referred.length === 0) return unchanged
    return {
      ...unchanged,
      body: await readAgain(continuing.expandInput(body.text, '[]', referred), body, mint),
    }
  }
  const stored = await responses.find(caller.key.id, id)
  if (!stored) throw responseNotFound(id)
  if (!stored.content) {
    return { ...unchanged, pin: pinOf(stored), lastTurnTokens: stored.turnTokens }
  }
  const text = continuing.expandInput(body.text, stored.content.items, referred)
  return { ...unchanged, body: await readAgain(text, body, mint), from: id }
}

/** Reads a body that was assembled from one with cuts. */
async function readAgain(
  text: string,
  { cuts }: JsonBody,
  mint: ResumeDeps['mint'],
): Promise<JsonBody> {
  const bytes = cuts ? await joinSlowly(await cuts.fill(text)) : Buffer.from(text)
  return readJsonBody(bytes, mint)
}

function pinOf({ upstreamId, credentialName, model }: StoredResponse): Pin | undefined {
  return upstreamId === undefined ? undefined : { upstreamId, credentialName, model }
}

/** The stored lists that contain the items to which a request refers by id only. */
async function findLists(
  { replyIdPrefix, referredItems }: Continuing,
  body: JsonObject,
  { key }: Caller,
  responses: ResponseStore,
): Promise<readonly string[]> {
  const lists: string[] = []
  let lookups = 0
  for (const itemId of referredItems(body).toReversed()) {
    const responseId = replyIdOf(itemId, replyIdPrefix)
    const isKnown = lists.some((items) => items.includes(`"id":"${itemId}"`))
    if (responseId === undefined || isKnown || lookups === lookupsMax) continue
    lookups += 1
    const stored = await responses.find(key.id, responseId)
    if (stored?.content) lists.push(stored.content.items)
  }
  return lists
}

function responseNotFound(id: string): Fault {
  return new Fault(
    'previous_response_not_found',
    `There is no response "${id.slice(0, 100)}" of this API key, or it was not stored, or it has expired. Send the whole conversation in "input" instead.`,
    { param: 'previous_response_id' },
  )
}
