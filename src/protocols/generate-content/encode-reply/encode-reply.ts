import { foldReply, type ReplyAnswer, type ReplyPart } from '../../../core/neutral/fold-reply.ts'
import type { JsonText } from '../../../core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import type { ReplyContext } from '../../translation.ts'
import { Grounding } from '../values/annotations.ts'
import {
  encodeCandidate,
  finishMembers,
  logprobsMember,
  ReplyEnvelope,
} from './encode-candidate.ts'
import { ContentPartWriter } from './part-writer.ts'

export function encodeReply(events: readonly ReplyEvent[], context: ReplyContext): JsonText {
  const { answers, usage } = foldReply(events)
  const candidates = answers.map(encodeAnswer).join(',')
  return new ReplyEnvelope(context).write(candidates, usage)
}

function encodeAnswer({ parts, finish }: ReplyAnswer, answer: number): string {
  const writer = new ContentPartWriter({ isWhole: true })
  const grounding = new Grounding()
  const written: string[] = []
  let refusal = ''
  for (const { part } of parts) {
    if (part.type === 'refusal') refusal += part.text
    written.push(...encodePart(writer, part))
    if (part.type === 'text' && part.annotations) {
      const place = writer.isHolding ? written.length : written.length - 1
      grounding.add(part.annotations, part.text, place)
    }
  }
  written.push(...writer.flush())
  const logprobs = logprobsMember(parts.flatMap((each) => each.logprobs))
  const members = logprobs + finishMembers(finish, refusal, grounding)
  return encodeCandidate(answer, written, members)
}

function encodePart(writer: ContentPartWriter, part: ReplyPart['part']): string[] {
  switch (part.type) {
    case 'text':
      return writer.text(part.text, part.opaque)
    case 'reasoning':
      return [...writer.thought(part.text), ...writer.endThought(part.opaque)]
    case 'tool-call':
      return writer.call(part, part.opaque)
    case 'media':
      return writer.media(part.mime ?? 'application/octet-stream', part.source)
    case 'hosted':
      return writer.hosted(part.protocol, part.json)
    case 'refusal':
    case 'tool-result':
      return []
  }
}
