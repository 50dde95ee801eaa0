import type { Fault } from '../../../core/fault.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { dataOf, type SseFrame } from '../../../wire/sse-framer.ts'
import { LastReport } from '../../measure/last-report.ts'
import { TextMeter } from '../../measure/text-meter.ts'
import type { FrameVerdict, ReplyReading, StreamTap } from '../../protocol.ts'
import { type ReplyTraits, type UsageTraits, usageIn, usageTraitsIn } from '../../reply-traits.ts'
import type { RequestFacts } from '../../request-facts.ts'
import { bareFault, encodeFault, encodeFaultEvent, readStreamFault } from '../faults.ts'
import { CandidateCompletion, candidateIndex } from '../values/completion.ts'
import { listEnd, listLead } from '../values/list-frame.ts'
import { textOfCandidate } from '../values/reply-text.ts'
import { decodeUsage } from '../values/usage.ts'

const encoder = new TextEncoder()

/**
 * Watches a stream as it passes. The stream ends when the connection closes after every candidate has finished. The
 * event that may be the last is therefore held back until another event follows or the upstream closes. The upstream
 * always gets a request for server-sent events; a client that wants one JSON list gets the same chunks in a list.
 */
export function openTap(facts: RequestFacts, replies: ReplyTraits): StreamTap {
  return new GenerateContentTap(facts.framing === 'json-list', replies)
}

class GenerateContentTap implements StreamTap {
  readonly #isList: boolean
  readonly #traits: UsageTraits
  readonly #endsAtClose: boolean
  readonly #meter = new TextMeter()
  readonly #thoughts = new TextMeter()
  readonly #completion = new CandidateCompletion()
  readonly #last = new LastReport()
  #held: SseFrame | undefined
  #isFirst = true
  #isOver = false

  constructor(isList: boolean, replies: ReplyTraits) {
    this.#isList = isList
    this.#traits = usageTraitsIn(replies, 'generate-content')
    this.#endsAtClose = replies.stream?.endsAtClose ?? false
  }

  read(frame: SseFrame): FrameVerdict {
    const { data } = frame
    if (data === undefined) return this.#readWithoutData(frame)
    const chunk = dataOf(frame)
    if (!isObject(chunk)) return verdict(this.#isList ? undefined : frame.bytes)
    if (isObject(chunk['error'])) return this.#fail(readStreamFault(chunk))
    const isContent = this.#readCandidates(chunk)
    this.#last.note(usageIn(chunk, 'usageMetadata', this.#traits, decodeUsage), isContent)
    return { ...verdict(this.#pass(frame)), isContent }
  }

  end(): FrameVerdict | undefined {
    if (!this.#held) return this.#endsAtClose && !this.#isFirst ? this.#endOpen() : undefined
    if (!this.#completion.isComplete) return undefined
    // A failure may still replace the end, so nothing counts as sent here.
    const bytes = this.#written(this.#held)
    return {
      ...verdict(this.#isList ? joined(bytes, encoder.encode(listEnd)) : bytes),
      isTerminator: true,
    }
  }

  /** The end of a stream whose events have all been sent. A blank line is not an event. */
  #endOpen(): FrameVerdict {
    this.#isOver = true
    return { ...verdict(encoder.encode(this.#isList ? listEnd : '\n')), isTerminator: true }
  }

  faultText(fault: Fault, requestId: string): string {
    if (!this.#isList) return encodeFaultEvent(fault, requestId)
    return listLead(this.#isFirst) + JSON.stringify(encodeFault(fault, requestId)) + listEnd
  }

  get isCertain(): boolean {
    return this.#completion.isCertain
  }

  reading(): ReplyReading {
    const { isComplete } = this.#completion
    return {
      usage: this.#last.usage,
      // Every chunk reports the usage so far, and some chunks omit the output.
      isUsageInterim: !(isComplete || this.#isOver) || this.#last.isBehind,
      isFinished: isComplete,
      deliveredTokens: () => this.#meter.tokens(),
      reasoningTokens: () => this.#thoughts.tokens(),
    }
  }

  #readWithoutData(frame: SseFrame): FrameVerdict {
    const fault = bareFault(frame)
    if (fault) return this.#fail(readStreamFault(fault))
    return verdict(this.#isList ? undefined : frame.bytes)
  }

  /** Drops the held event: after a failure the answer has not finished. */
  #fail(fault: Fault): FrameVerdict {
    return { ...verdict(undefined), fault }
  }

  #readCandidates(chunk: JsonObject): boolean {
    const candidates = chunk['candidates']
    this.#completion.noteFeedback(chunk)
    if (!Array.isArray(candidates)) return false
    let isContent = false
    candidates.forEach((candidate: unknown, place) => {
      if (!isObject(candidate)) return
      const reading = textOfCandidate(candidate)
      this.#meter.add(reading.text)
      if (reading.thought !== '') this.#thoughts.add(reading.thought)
      isContent ||= reading.isContent
      const hasReason = (candidate['finishReason'] ?? undefined) !== undefined
      this.#completion.note(candidateIndex(candidate, place), hasReason, reading.isContent)
    })
    return isContent
  }

  /** The bytes to send after this event: the held event, and this event unless it may be the last. */
  #pass(frame: SseFrame): Uint8Array | undefined {
    const before = this.#held && this.#sent(this.#held)
    if (this.#completion.isComplete) {
      this.#held = frame
      return before
    }
    this.#held = undefined
    const bytes = this.#sent(frame)
    return before ? joined(before, bytes) : bytes
  }

  #sent(frame: SseFrame): Uint8Array {
    const bytes = this.#written(frame)
    this.#isFirst = false
    return bytes
  }

  #written(frame: SseFrame): Uint8Array {
    if (!this.#isList) return frame.bytes
    return encoder.encode(listLead(this.#isFirst) + (frame.data ?? ''))
  }
}

function verdict(bytes: Uint8Array | undefined): FrameVerdict {
  return { bytes, isTerminator: false, fault: undefined, isContent: false }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}
