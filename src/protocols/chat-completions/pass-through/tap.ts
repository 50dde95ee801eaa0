import type { Fault } from '../../../core/fault.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { removeMember } from '../../../wire/patch-json.ts'
import { type MemberSpan, scanJson } from '../../../wire/scan-json.ts'
import { dataOf, type SseFrame } from '../../../wire/sse-framer.ts'
import { Completion } from '../../completion.ts'
import { LastReport } from '../../measure/last-report.ts'
import { TextMeter } from '../../measure/text-meter.ts'
import type { FrameVerdict, ReplyReading, StreamTap } from '../../protocol.ts'
import { type ReplyTraits, usageIn, usageTraitsIn } from '../../reply-traits.ts'
import type { RequestFacts } from '../../request-facts.ts'
import { readStreamFault } from '../faults.ts'
import { choiceIndex } from '../values/choice-index.ts'
import { finishOf } from '../values/finish-reason.ts'
import { reasoningOfMessage, textOfMessage } from '../values/reply-text.ts'
import { decodeUsage } from '../values/usage.ts'

const encoder = new TextEncoder()
const chunkDepthMax = 64
const terminator = '[DONE]'

/** Watches a stream for usage, failure and its end, and removes usage that only the gateway requested. */
export function openTap(facts: RequestFacts, traits: ReplyTraits): StreamTap {
  const usageTraits = usageTraitsIn(traits, 'chat-completions')
  const { endsAtClose = false, reportsAfterEnd = false } = traits.stream ?? {}
  /** The terminator of a stream whose usage follows it. */
  let held: SseFrame | undefined
  const last = new LastReport()
  let isUsageInterim = false
  const completion = new Completion(facts.answers)
  const meter = new TextMeter()
  const thoughts = new TextMeter()

  const read = (frame: SseFrame): FrameVerdict => {
    const { data } = frame
    if (data === undefined) return forward(frame, false)
    if (data === terminator) {
      isUsageInterim = false
      if (!reportsAfterEnd) return { ...forward(frame, false), isTerminator: true }
      held = frame
      return { ...forward(frame, false), bytes: undefined }
    }
    const chunk = dataOf(frame)
    if (!isObject(chunk)) return forward(frame, false)
    const fault = faultIn(chunk, data)
    if (fault) return { ...forward(frame, false), fault }
    const choices = choicesIn(chunk)
    const delivered = readChoices(choices, completion, traits)
    const report = usageIn(chunk, 'usage', usageTraits, decodeUsage)
    last.note(report, delivered !== '')
    if (report) {
      // Some servers report usage with every chunk. The report for the whole answer follows the finish reason.
      isUsageInterim = choices.length > 0 && !completion.isComplete
    }
    meter.add(delivered)
    if (delivered !== '') thoughts.add(reasoningIn(choices, traits))
    const isHidden = !facts.wantsStreamUsage && 'usage' in chunk
    const verdict = isHidden
      ? withoutUsage(frame, data, chunk, delivered !== '')
      : forward(frame, delivered !== '')
    return held && report ? endWith(verdict, held) : verdict
  }
  return {
    read,
    /** Some servers leave out the terminator. The finish reasons then show that the stream is complete. */
    end(): FrameVerdict | undefined {
      const isOver = held !== undefined || (endsAtClose && completion.hasStarted)
      if (!isOver && !completion.isComplete) return undefined
      isUsageInterim = false
      const bytes = held?.bytes ?? encodeEvent(undefined, terminator)
      return { bytes, isTerminator: true, fault: undefined, isContent: false }
    },
    get isCertain() {
      return held !== undefined || completion.isCertain
    },
    reading: (): ReplyReading => ({
      usage: last.usage,
      isUsageInterim: isUsageInterim || last.isBehind,
      isFinished: completion.isComplete,
      deliveredTokens: () => meter.tokens(),
      reasoningTokens: () => thoughts.tokens(),
    }),
  }
}

function forward(frame: SseFrame, isContent: boolean): FrameVerdict {
  return { bytes: frame.bytes, isTerminator: false, fault: undefined, isContent }
}

/** The event and after it the terminator that was held back. */
function endWith(verdict: FrameVerdict, { bytes: end }: SseFrame): FrameVerdict {
  const { bytes } = verdict
  if (bytes === undefined) return { ...verdict, bytes: end, isTerminator: true }
  return { ...verdict, bytes, more: [end], isTerminator: true }
}

function choicesIn(chunk: JsonObject): readonly unknown[] {
  const choices = chunk['choices']
  return Array.isArray(choices) ? choices : []
}

/** Returns the text of the choices and records which of them have finished. */
function readChoices(
  choices: readonly unknown[],
  completion: Completion,
  traits: ReplyTraits,
): string {
  let delivered = ''
  for (const choice of choices) {
    if (!isObject(choice)) continue
    const text = textOfMessage(choice['delta'], traits)
    delivered += text
    completion.note(choiceIndex(choice), finishOf(choice) !== undefined, text !== '')
  }
  return delivered
}

function reasoningIn(choices: readonly unknown[], traits: ReplyTraits): string {
  let text = ''
  for (const choice of choices) {
    text += reasoningOfMessage(isObject(choice) ? choice['delta'] : undefined, traits)
  }
  return text
}

function faultIn(chunk: JsonObject, data: string): Fault | undefined {
  return chunk['error'] === undefined || chunk['error'] === null ? undefined : readStreamFault(data)
}

/** Drops a chunk that contains only usage. Any other chunk loses only its usage member. */
function withoutUsage(
  frame: SseFrame,
  data: string,
  chunk: JsonObject,
  isContent: boolean,
): FrameVerdict {
  const choices = chunk['choices']
  if (Array.isArray(choices) && choices.length === 0 && isObject(chunk['usage'])) {
    return { ...forward(frame, false), bytes: undefined }
  }
  const members = frame.members ?? membersOf(data)
  if (!members) return forward(frame, isContent)
  const patched = removeMember(data, members, 'usage')
  return { ...forward(frame, isContent), bytes: encodeEvent(frame.event, patched) }
}

function membersOf(data: string): ReadonlyMap<string, MemberSpan> | undefined {
  const scan = scanJson(data, chunkDepthMax)
  return scan.ok ? scan.members : undefined
}

/** Data of several lines goes out on as many lines: the client would ignore a line without `data:`. */
function encodeEvent(event: string | undefined, data: string): Uint8Array {
  const name = event === undefined ? '' : `event: ${event}\n`
  return encoder.encode(`${name}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`)
}
