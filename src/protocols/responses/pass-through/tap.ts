import type { Fault } from '../../../core/fault.ts'
import type { TokenUsage } from '../../../core/money/usage.ts'
import {
  countAt,
  isObject,
  type JsonObject,
  objectAt,
  parseJson,
  stringAt,
} from '../../../wire/json.ts'
import { dataOf, type SseFrame } from '../../../wire/sse-framer.ts'
import { TextMeter } from '../../measure/text-meter.ts'
import type { FrameVerdict, ReplyReading, StreamTap } from '../../protocol.ts'
import { type ReplyTraits, type UsageTraits, usageIn, usageTraitsIn } from '../../reply-traits.ts'
import type { RequestFacts } from '../../request-facts.ts'
import { encodeFailure, failedResponse, readStreamFault } from '../faults.ts'
import { reasoningOfItem, textOfItem } from '../values/reply-text.ts'
import { decodeUsage } from '../values/usage.ts'

export function openTap(_: RequestFacts, replies: ReplyTraits): StreamTap {
  return new ResponseTap(usageTraitsIn(replies, 'responses'))
}

/**
 * Watches a stream for usage, failure and its end. Some events are skipped by name without parsing: the first events
 * repeat the whole request. A failure becomes a fault whether or not content has been sent: the upstream's own message
 * may quote its credential, so the gateway writes the failure itself.
 */
class ResponseTap implements StreamTap {
  readonly #traits: UsageTraits
  readonly #meter = new TextMeter()
  readonly #thoughts = new TextMeter()
  #usage: TokenUsage | undefined
  #replyId: string | undefined
  #created: string | undefined
  #hasDelta = false
  #nextSequence = 0

  constructor(traits: UsageTraits) {
    this.#traits = traits
  }

  read(frame: SseFrame): FrameVerdict {
    const { data } = frame
    if (data === undefined) return verdict(frame, false)
    if (frame.event !== undefined && isSilent(frame.event)) {
      if (frame.event === 'response.created') this.#create(frame)
      this.#nextSequence += 1
      return verdict(frame, false)
    }
    const event = dataOf(frame)
    if (!isObject(event)) return verdict(frame, false)
    const type = stringAt(event, 'type') ?? frame.event
    const fault = this.#faultIn(type, event)
    if (fault) return { ...verdict(frame, false), fault }
    this.#nextSequence = (countAt(event, 'sequence_number') ?? this.#nextSequence) + 1
    return this.#readEvent(type, event, frame)
  }

  end(): undefined {
    return undefined
  }

  /** Continues the numbering of the sent events, for the response that has begun. */
  faultText(fault: Fault, requestId: string): string {
    const created = parseJson(this.#created ?? '')
    const response = isObject(created) ? objectAt(created, 'response') : undefined
    const failed = JSON.stringify(failedResponse(fault, requestId, response))
    return encodeFailure(fault, failed, this.#nextSequence)
  }

  reading(): ReplyReading {
    return {
      usage: this.#usage,
      deliveredTokens: () => this.#meter.tokens(),
      reasoningTokens: () => this.#thoughts.tokens(),
      replyId: this.#replyId,
    }
  }

  /** A response with a long text in it is not repeated in a failure. */
  #create(frame: SseFrame): void {
    this.#created = frame.isCut ? undefined : frame.data
  }

  #readEvent(type: string | undefined, event: JsonObject, frame: SseFrame): FrameVerdict {
    switch (type) {
      case 'response.created':
        this.#create(frame)
        return verdict(frame, false)
      case 'response.output_item.added':
        this.#hasDelta = false
        return verdict(frame, false)
      case 'response.output_item.done':
        if (!this.#hasDelta) {
          this.#meter.add(textOfItem(event['item']))
          this.#thoughts.add(reasoningOfItem(event['item']))
        }
        return verdict(frame, true)
      case 'response.completed':
      case 'response.incomplete': {
        const response = objectAt(event, 'response') ?? {}
        this.#usage = usageIn(response, 'usage', this.#traits, decodeUsage)
        this.#replyId = stringAt(response, 'id')
        return { ...verdict(frame, false), isTerminator: true }
      }
      default: {
        const delta = stringAt(event, 'delta') ?? ''
        if (delta === '') return verdict(frame, false)
        this.#hasDelta = true
        this.#meter.add(delta)
        if (type?.startsWith('response.reasoning') === true) this.#thoughts.add(delta)
        return verdict(frame, true)
      }
    }
  }

  /** Compatible servers send an error without a type, as chat-completions does. */
  #faultIn(type: string | undefined, event: JsonObject): Fault | undefined {
    if (type === 'response.failed') {
      this.#usage = usageIn(objectAt(event, 'response') ?? {}, 'usage', this.#traits, decodeUsage)
      return readStreamFault(event)
    }
    const isUntypedError = type === undefined && (event['error'] ?? undefined) !== undefined
    return type === 'error' || isUntypedError ? readStreamFault(event) : undefined
  }
}

/** Events without new content, identified by name so that they are not parsed. */
function isSilent(name: string): boolean {
  return (
    name === 'response.created' ||
    name === 'response.in_progress' ||
    name.startsWith('response.content_part.') ||
    (name.endsWith('.done') && name !== 'response.output_item.done')
  )
}

function verdict(frame: SseFrame, isContent: boolean): FrameVerdict {
  return { bytes: frame.bytes, isTerminator: false, fault: undefined, isContent }
}
