import { Fault } from '../../core/fault.ts'
import type { JsonText } from '../../core/model-request.ts'
import type { ReplyEvent } from '../../core/reply-event.ts'
import { parseExact } from '../../wire/exact-json.ts'
import { isObject, parseJson, stringAt } from '../../wire/json.ts'
import type { UpstreamContext } from '../translation.ts'
import { decodeEnding } from './decode-ending.ts'
import { exactItems } from './decode-events.ts'
import { OutputDecoder } from './decode-output.ts'
import { readFaultEvent } from './read-fault.ts'

/** States in which an answer may still follow. The gateway does not wait for it. */
const unfinished = ['queued', 'in_progress']

export function decodeReply(text: JsonText, context: UpstreamContext): ReplyEvent[] {
  const response = parseJson(text)
  if (!isObject(response) || !Array.isArray(response['output'])) {
    const isError = isObject(response) && (response['error'] ?? undefined) !== undefined
    return [{ type: 'fault', fault: isError ? readFaultEvent(response) : unreadable() }]
  }
  const status = stringAt(response, 'status')
  if (status !== undefined && unfinished.includes(status)) {
    return [{ type: 'fault', fault: unreadable() }]
  }
  const start: ReplyEvent = {
    type: 'reply-start',
    id: stringAt(response, 'id'),
    model: stringAt(response, 'model'),
  }
  const output = new OutputDecoder(context)
  const ending = decodeEnding(
    response,
    status,
    output,
    exactItems(() => parseExact(text)),
  )
  return [start, ...ending]
}

function unreadable(): Fault {
  return new Fault('upstream_error', 'The upstream sent an answer that cannot be read.')
}
