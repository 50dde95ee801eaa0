import type { ResponseStore } from '../../conversations/response-store.ts'
import { promptOf } from '../../core/money/usage.ts'
import { turns } from '../../core/runtime/turns.ts'
import type { ReplyReading } from '../../protocols/protocol.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from '../forward/attempt.ts'
import type { StorableReply } from '../forward/passage.ts'
import { limits } from '../limits.ts'
import { longReplyBytes } from './long-reply.ts'

/** The upstream stores a reply that passed through unchanged. The gateway records only its key and its upstream. */
export function replyStoredUpstream({
  replyId,
  usage,
  isUsageInterim,
}: ReplyReading): StorableReply | undefined {
  if (replyId === undefined) return undefined
  const isWhole = usage !== undefined && promptOf(usage) > 0 && isUsageInterim !== true
  const turnTokens = isWhole ? promptOf(usage) + usage.output : undefined
  return { id: replyId, responseText: undefined, turnTokens }
}

/**
 * Records a response that later requests may refer to, unless its client sent `store: false`. The response can be found
 * as soon as the promise resolves. A long one is assembled in turns.
 */
export async function storeReply(
  { protocol, body, caller, facts }: Exchange,
  attempt: Attempt,
  kept: StorableReply | undefined,
  { responses }: { readonly responses: ResponseStore },
): Promise<void> {
  const { continuing } = protocol
  if (!continuing || !kept || body.value['store'] === false || facts.isCompaction === true) return
  const { key } = caller
  const isOfUser = key.ownerUserId !== undefined
  const stored = { id: kept.id, keyId: key.id, isOfUser, model: attempt.candidate.model.id }
  if (kept.responseText === undefined) {
    const credentialName = attempt.candidate.credential?.name
    const { upstreamId } = attempt
    const turnTokens = mayShorten(body.value) ? undefined : kept.turnTokens
    responses.keep({ ...stored, upstreamId, credentialName, content: undefined, turnTokens })
    return
  }
  const { text, cuts } = body
  const characters = text.length + (cuts?.characters ?? 0) + kept.responseText.length
  if (characters > limits.storedCharactersMax) return
  const isLong = characters > longReplyBytes
  if (isLong) await turns.next()
  const input = continuing.storedInputOf(cuts ? cuts.fillText(text) : text, kept.id)
  if (isLong) await turns.next()
  const items = continuing.storedItemsOf(input, kept.responseText)
  if (items.length > limits.storedCharactersMax) return
  const content = { response: kept.responseText, items }
  const here = { upstreamId: undefined, credentialName: undefined, turnTokens: undefined }
  responses.keep({ ...stored, ...here, content })
}

/** Whether the upstream may have read less than it stores. The next turn may then read all of it. */
function mayShorten({ truncation, context_management: management }: JsonObject): boolean {
  const isCut = (truncation ?? 'disabled') !== 'disabled'
  return isCut || (management ?? undefined) !== undefined
}
