import type { ResponseStore, StoredResponse } from '../../conversations/response-store.ts'
import { Fault } from '../../core/fault.ts'
import { joinSlowly } from '../../core/join-slowly.ts'
import type { Continuing, JsonBody, Protocol } from '../../protocols/protocol.ts'
import type { Pin } from '../../routing/plan-question.ts'
import type { JsonObject } from '../../wire/json.ts'
import { replyIdOf } from '../reply/reply-ids.ts'
import type { Caller } from './authenticate.ts'
import { readJsonBody } from './read-json-body.ts'

/** A request that goes on from an earlier response, made whole. */
export interface Resumed {
  readonly body: JsonBody
  /** The id that the body no longer holds, because what it stood for is in it. */
  readonly from: string | undefined
  /** Who knows the earlier response, when it is not known here. */
  readonly pin: Pin | undefined
  /** What the earlier response's turn had, where that is known and tokens of the same model. */
  readonly lastTurnTokens: number | undefined
}

export interface ResumeDeps {
  readonly responses: ResponseStore
  mint(prefix: string): string
}

/** A conversation holds its earlier items in its newest list, so one look is nearly always enough. */
const looksMax = 50

/** Whether the body refers to an earlier response, or to items of one. */
export function refersBack({ continuing }: Protocol, { value }: JsonBody): boolean {
  if (!continuing) return false
  const isResumed = typeof value['previous_response_id'] === 'string'
  return isResumed || continuing.referredItems(value).length > 0
}

/**
 * Puts what was said before in front of the request, or finds the upstream that remembers it. An id that this
 * key has not made is unknown, whatever an upstream might say to it: its account is shared by all our keys.
 */
export async function resumeResponse(
  protocol: Protocol,
  body: JsonBody,
  caller: Caller,
  model: string,
  { responses, mint }: ResumeDeps,
): Promise<Resumed> {
  const { continuing } = protocol
  const id = body.value['previous_response_id']
  const unchanged = { body, from: undefined, pin: undefined, lastTurnTokens: undefined }
  if (!continuing) return unchanged
  const referred = await findLists(continuing, body.value, caller, responses)
  if (typeof id !== 'string') {
    // Items that are not known here may be an upstream's own.
    if (referred.length === 0) return unchanged
    return {
      ...unchanged,
      body: await readAgain(continuing.expandInput(body.text, '[]', referred), body, mint),
    }
  }
  const stored = await responses.find(caller.key.id, id)
  if (!stored) throw responseNotFound(id)
  if (!stored.content) {
    const lastTurnTokens = stored.model === model ? stored.turnTokens : undefined
    return { ...unchanged, pin: pinOf(stored), lastTurnTokens }
  }
  const text = continuing.expandInput(body.text, stored.content.items, referred)
  return { ...unchanged, body: await readAgain(text, body, mint), from: id }
}

/** What was put together out of a body that may have been cut. */
async function readAgain(
  text: string,
  { cuts }: JsonBody,
  mint: ResumeDeps['mint'],
): Promise<JsonBody> {
  const bytes = cuts ? await joinSlowly(await cuts.fill(text)) : Buffer.from(text)
  return readJsonBody(bytes, mint)
}

function pinOf({ upstreamId, credentialName }: StoredResponse): Pin | undefined {
  return upstreamId === undefined ? undefined : { upstreamId, credentialName }
}

/** The stored lists that items stand in to which a request refers by their ids alone. */
async function findLists(
  { replyIdPrefix, referredItems }: Continuing,
  body: JsonObject,
  { key }: Caller,
  responses: ResponseStore,
): Promise<readonly string[]> {
  const lists: string[] = []
  let looks = 0
  for (const itemId of referredItems(body).toReversed()) {
    const responseId = replyIdOf(itemId, replyIdPrefix)
    const isKnown = lists.some((items) => items.includes(`"id":"${itemId}"`))
    if (responseId === undefined || isKnown || looks === looksMax) continue
    looks += 1
    const stored = await responses.find(key.id, responseId)
    if (stored?.content) lists.push(stored.content.items)
  }
  return lists
}

function responseNotFound(id: string): Fault {
  return new Fault(
    'previous_response_not_found',
    `There is no response "${id.slice(0, 100)}" of this API key, or it was not stored, or its time is over. Send the whole conversation in "input" instead.`,
    { param: 'previous_response_id' },
  )
}
