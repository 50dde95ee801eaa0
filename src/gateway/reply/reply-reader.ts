import type { Fault } from '../../core/fault.ts'
import type { TokenUsage } from '../../core/money/usage.ts'
import type { ReplyEvent } from '../../core/neutral/reply-event.ts'
import { GrowingText } from '../../core/runtime/growing-text.ts'
import { TextMeter } from '../../protocols/measure/text-meter.ts'
import type { ReplyReading } from '../../protocols/protocol.ts'

/** Longer reasoning is not remembered for clients that do not send it back. */
const rememberedCharactersMax = 512 * 1024

/** Reads passing neutral events for usage, failure, the end, and the reasoning that belongs to tool calls. */
export class ReplyReader {
  usage: TokenUsage | undefined
  fault: Fault | undefined
  isOver = false
  /** Reasoning events, each joined into one, and the starts of tool calls, for `carry-reasoning.ts`. */
  readonly remembered: ReplyEvent[] = []
  readonly #meter = new TextMeter()
  readonly #thoughts = new TextMeter()
  readonly #openPart: (string | undefined)[] = []
  /** The growing reasoning of each answer as one text: separate events would take more memory. */
  readonly #openThought: (GrowingText | undefined)[] = []
  #isProvisional = false
  #isUsageBehind = false
  #rememberedCharacters = 0
  #isAbandoned = false

  /** Whether the event contains content for the client. */
  note(event: ReplyEvent): boolean {
    switch (event.type) {
      case 'usage':
        this.usage = event.usage
        this.#isProvisional = event.isProvisional ?? false
        return false
      case 'fault':
        this.fault = event.fault
        return false
      case 'reply-end':
        this.isOver = true
        this.#isUsageBehind = event.isUsageBehind === true
        return false
      case 'reply-start':
        return false
      case 'part-start':
        this.#openPart[event.answer] = event.part.type
        this.#openThought[event.answer] =
          event.part.type === 'reasoning' ? new GrowingText() : undefined
        if (event.part.type === 'tool-call') this.#meter.add(event.part.name)
        this.#keep(event, event.answer)
        return event.part.type !== 'text' && event.part.type !== 'reasoning'
      case 'part-delta':
        this.#meter.add(event.text)
        if (this.#openPart[event.answer] === 'reasoning') {
          this.#thoughts.add(event.text)
          this.#grow(event.answer, event.text)
        }
        return event.text !== ''
      case 'part-end':
        this.#keepThought(event.answer)
        this.#keep(event, event.answer)
        this.#openPart[event.answer] = undefined
        return false
    }
  }

  /** Stops remembering and drops the remembered events. */
  abandon(): void {
    this.#isAbandoned = true
    this.remembered.length = 0
    this.#openThought.length = 0
  }

  /** The answers with a part that has started and not ended. */
  openAnswers(): number[] {
    return this.#openPart.flatMap((part, answer) => (part === undefined ? [] : [answer]))
  }

  /** A reply that was cut may have reported its input and hardly any of its output. */
  reading(): ReplyReading {
    return {
      usage: this.usage,
      isUsageProvisional: !this.isOver && this.#isProvisional,
      isUsageInterim: !this.isOver || this.#isUsageBehind,
      deliveredTokens: () => this.#meter.tokens(),
      reasoningTokens: () => this.#thoughts.tokens(),
    }
  }

  #grow(answer: number, text: string): void {
    this.#rememberedCharacters += text.length
    if (this.#isRemembering()) this.#openThought[answer]?.add(text)
  }

  #keepThought(answer: number): void {
    const text = this.#openThought[answer]?.toString() ?? ''
    this.#openThought[answer] = undefined
    if (text !== '') this.#keep({ type: 'part-delta', answer, text }, answer)
  }

  /** Reasoning that is too long is dropped at once. */
  #isRemembering(): boolean {
    if (this.#isAbandoned) return false
    if (this.#rememberedCharacters <= rememberedCharactersMax) return true
    this.remembered.length = 0
    this.#openThought.length = 0
    return false
  }

  #keep(event: ReplyEvent, answer: number): void {
    if (!this.#isRemembering()) return
    const kind = this.#openPart[answer]
    if (kind === 'reasoning' || kind === 'tool-call') this.remembered.push(event)
  }
}
