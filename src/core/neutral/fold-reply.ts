import type { Fault } from '../fault.ts'
import { noUsage, type TokenUsage } from '../money/usage.ts'
import { GrowingText } from '../runtime/growing-text.ts'
import type { Annotation, Opaque, Part } from './model-request.ts'
import type { Finish, PartHead, ReplyEvent, TokenLogprob } from './reply-event.ts'

/** A complete reply, assembled from its events. */
export interface FoldedReply {
  readonly id: string | undefined
  readonly model: string | undefined
  readonly answers: readonly ReplyAnswer[]
  readonly usage: TokenUsage
  readonly fault: Fault | undefined
}

export interface ReplyAnswer {
  readonly parts: readonly ReplyPart[]
  readonly finish: Finish
}

/** A complete part of a reply. */
export interface ReplyPart {
  readonly part: Part
  readonly logprobs: readonly TokenLogprob[]
}

interface OpenPart {
  readonly head: PartHead
  readonly text: GrowingText
  readonly logprobs: TokenLogprob[]
}

/** A reply that was cut has no `reply-end`. Its answers then have no known reason to end. */
const unfinished: Finish = { reason: 'other', raw: undefined }

export function foldReply(events: Iterable<ReplyEvent>): FoldedReply {
  let id: string | undefined
  let model: string | undefined
  let usage = noUsage
  let fault: Fault | undefined
  let finishes: readonly Finish[] = []
  const parts: ReplyPart[][] = []
  const open: (OpenPart | undefined)[] = []
  for (const event of events) {
    switch (event.type) {
      case 'reply-start':
        id = event.id
        model = event.model
        break
      case 'part-start':
        open[event.answer] = { head: event.part, text: new GrowingText(), logprobs: [] }
        break
      case 'part-delta': {
        const part = open[event.answer]
        if (!part) break
        part.text.add(event.text)
        if (event.logprobs) for (const each of event.logprobs) part.logprobs.push(each)
        break
      }
      case 'part-end': {
        const part = open[event.answer]
        if (!part) break
        open[event.answer] = undefined
        const whole = wholePart(part, event.opaque, event.annotations)
        const finished = parts[event.answer] ?? []
        parts[event.answer] = finished
        finished.push({ part: whole, logprobs: part.logprobs })
        break
      }
      case 'usage':
        usage = event.usage
        break
      case 'reply-end':
        finishes = event.finishes
        break
      case 'fault':
        fault = event.fault
        break
    }
  }
  const count = Math.max(1, parts.length, finishes.length)
  const answers = Array.from({ length: count }, (_, index) => ({
    parts: parts[index] ?? [],
    finish: finishes[index] ?? unfinished,
  }))
  return { id, model, answers, usage, fault }
}

function wholePart(
  { head, text: pieces }: OpenPart,
  opaque: Opaque | undefined,
  annotations: readonly Annotation[] | undefined,
): Part {
  const text = pieces.toString()
  switch (head.type) {
    case 'text':
      return { type: 'text', text, opaque, annotations }
    case 'reasoning':
      return { type: 'reasoning', text, opaque }
    case 'refusal':
      return { type: 'refusal', text }
    case 'tool-call':
      return { ...head, argumentsText: text, opaque: opaque ?? head.opaque }
    case 'media':
      return {
        type: 'media',
        kind: kindOfMime(head.mime),
        mime: head.mime,
        source: head.source,
      }
    case 'hosted':
      return head
  }
}

export function kindOfMime(mime: string): 'image' | 'document' | 'audio' | 'video' {
  const family = mime.slice(0, mime.indexOf('/'))
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
}
