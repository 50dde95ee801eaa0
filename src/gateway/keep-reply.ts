import type { ResponseStore } from '../conversations/response-store.ts'
import type { ReplyReading } from '../protocols/protocol.ts'
import type { Attempt } from './attempt.ts'
import type { Exchange } from './exchange.ts'
import type { KeptReply } from './passage.ts'

/** More than this is not kept: a conversation of that size is sent whole by its client. */
const itemsCharactersMax = 16 * 1024 * 1024

/** A reply that passed untouched is kept by its upstream; only who may refer to it, and where, is noted. */
export function keptUpstream({ replyId }: ReplyReading): KeptReply | undefined {
  return replyId === undefined ? undefined : { id: replyId, responseText: undefined }
}

/** Notes a response that later requests may refer to, unless its client said `store: false`. */
export function keepReply(
  { protocol, body, caller, facts }: Exchange,
  attempt: Attempt,
  kept: KeptReply | undefined,
  { responses }: { readonly responses: ResponseStore },
): void {
  const { continuing } = protocol
  if (!continuing || !kept || body.value['store'] === false || facts.isCompaction === true) return
  const stored = { id: kept.id, keyId: caller.key.id, model: facts.model }
  if (kept.responseText === undefined) {
    const credentialName = attempt.candidate.credential?.name
    const { upstreamId } = attempt
    responses.keep({ ...stored, upstreamId, credentialName, content: undefined })
    return
  }
  const items = continuing.storedItemsOf(body.text, kept.responseText)
  if (items.length > itemsCharactersMax) return
  const content = { response: kept.responseText, items }
  responses.keep({ ...stored, upstreamId: undefined, credentialName: undefined, content })
}
