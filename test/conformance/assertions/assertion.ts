import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { gistOf } from '../gist/gist-readers.ts'
import type { Recording } from '../recordings/recording.ts'
import type { Judge } from '../report/judge.ts'

/** One test: an assertion over all recordings that it applies to, for one protocol or one pair. */
export interface Case {
  readonly name: string
  run(judge: Judge): void | Promise<void>
}

export function of(recordings: readonly Recording[], protocol: ProtocolName): Recording[] {
  return recordings.filter((recording) => recording.protocol === protocol)
}

/** Replies that do not refuse the whole request. */
export function repliesOf(recordings: readonly Recording[], protocol: ProtocolName): Recording[] {
  return of(recordings, protocol).filter(({ status }) => status < 400)
}

/** Replies with a normal end. */
export function goodRepliesOf(
  recordings: readonly Recording[],
  protocol: ProtocolName,
): Recording[] {
  return repliesOf(recordings, protocol).filter(
    (recording) =>
      recording.isComplete && !isFaultReply(recording) && !contradictory.has(recording.name),
  )
}

/** Edited by hand: the text of its deltas differs from the final text. */
const contradictory = new Set(['responses/vercel__ai--openai-shell-container.1.stream'])

/** Whether a reply that began with status 200 reports a failure inside. */
export function isFaultReply({ protocol, reply }: Recording): boolean {
  return gistOf(protocol, reply).isFault
}

/** Two protocols can have several answers to one request; the others reject the request. */
export function canHold(client: ProtocolName, answers: number): boolean {
  return answers <= 1 || client === 'chat-completions' || client === 'generate-content'
}
