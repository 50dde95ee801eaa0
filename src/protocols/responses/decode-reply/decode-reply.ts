import type { JsonText } from '../../../core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { parseExact, writeJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson, stringAt } from '../../../wire/json.ts'
import { unreadableReply } from '../../fault-message.ts'
import { usageIn } from '../../reply-traits.ts'
import type { UpstreamContext } from '../../translation.ts'
import { readStreamFault } from '../faults.ts'
import { decodeFinish } from '../values/finish-reason.ts'
import { decodeUsage } from '../values/usage.ts'
import { OutputReader } from './part-reader.ts'

/** States in which an answer may still follow. The gateway does not wait for it. */
const unfinished = ['queued', 'in_progress']

export function decodeReply(text: JsonText, context: UpstreamContext): ReplyEvent[] {
  const response = parseJson(text)
  if (!isObject(response) || !Array.isArray(response['output'])) {
    const isError = isObject(response) && (response['error'] ?? undefined) !== undefined
    return [{ type: 'fault', fault: isError ? readStreamFault(response) : unreadableReply() }]
  }
  const status = stringAt(response, 'status')
  if (status !== undefined && unfinished.includes(status)) {
    return [{ type: 'fault', fault: unreadableReply() }]
  }
  const start: ReplyEvent = {
    type: 'reply-start',
    id: stringAt(response, 'id'),
    model: stringAt(response, 'model'),
  }
  const output = new OutputReader(context)
  const ending = decodeEnding(
    response,
    status,
    output,
    exactItems(() => parseExact(text)),
  )
  return [start, ...ending]
}

/**
 * Decodes the end of a reply from its final response: items that did not arrive in pieces, usage, and the finish
 * reason. `itemJson` returns the exact text of an output item.
 */
export function decodeEnding(
  response: JsonObject,
  status: string | undefined,
  output: OutputReader,
  itemJson: (index: number) => string,
): ReplyEvent[] {
  const items = Array.isArray(response['output']) ? response['output'] : []
  output.lastItems(items, itemJson)
  output.queue.endAll()
  const usage = usageIn(response, 'usage', output.usageTraits, decodeUsage)
  if (usage) output.queue.add({ type: 'usage', usage })
  output.queue.add(
    status === 'failed' || status === 'cancelled'
      ? { type: 'fault', fault: readStreamFault({ response }) }
      : { type: 'reply-end', finishes: [decodeFinish(response, status, output)] },
  )
  return output.queue.take()
}

/** The output items of a response in their original spelling. They are read once, on the first use. */
export function exactItems(read: () => unknown): (index: number) => string {
  let items: readonly unknown[] | undefined
  return (index) => {
    if (!items) {
      const response = read()
      const output = isObject(response) ? response['output'] : undefined
      items = Array.isArray(output) ? output : []
    }
    return writeJson(items[index])
  }
}
