import { afterAll, describe, test } from 'bun:test'
import { a1DecodesAnyCut } from './assertions/a1-decodes-any-cut.ts'
import { a1SurvivesDamage } from './assertions/a1-survives-damage.ts'
import { a1Truncated } from './assertions/a1-truncated.ts'
import { a2a3SameMeaning } from './assertions/a2-a3-same-meaning.ts'
import { a3RoundTrip } from './assertions/a3-round-trip.ts'
import { a4ValidReplies } from './assertions/a4-valid-replies.ts'
import { a4ValidRequests } from './assertions/a4-valid-requests.ts'
import type { Case } from './assertions/assertion.ts'
import { chatCompletionsStreams } from './assertions/chat-completions-streams.ts'
import { e1ErrorBodies } from './assertions/e1-error-bodies.ts'
import { e2FailedStreams } from './assertions/e2-failed-streams.ts'
import { generateContentStreams } from './assertions/generate-content-streams.ts'
import { m7OfficialClients } from './assertions/m7-official-clients.ts'
import { messagesStreams } from './assertions/messages-streams.ts'
import { qSameRequest } from './assertions/q-same-request.ts'
import { q3CallsAnswered } from './assertions/q3-calls-answered.ts'
import { q4Signatures } from './assertions/q4-signatures.ts'
import { refusals } from './assertions/refusals.ts'
import { responsesStreams } from './assertions/responses-streams.ts'
import { streamCases } from './assertions/stream-rule.ts'
import { u1Usage, u2NotAdded } from './assertions/u1-usage.ts'
import { seed } from './pipeline/random-cuts.ts'
import { readConversations, readRecordings } from './recordings/read-recordings.ts'
import type { Recording } from './recordings/recording.ts'
import { Judge } from './report/judge.ts'
import { printTally, tally } from './report/tally.ts'

const recordings = readRecordings()

function listCases(all: readonly Recording[]): Case[] {
  return [
    ...a1DecodesAnyCut(all),
    ...a1SurvivesDamage(all),
    ...a1Truncated(all),
    ...a2a3SameMeaning(all),
    ...a3RoundTrip(all),
    ...a4ValidReplies(all),
    ...a4ValidRequests(all),
    ...streamCases(all, 'messages', messagesStreams),
    ...streamCases(all, 'chat-completions', chatCompletionsStreams),
    ...streamCases(all, 'responses', responsesStreams),
    ...streamCases(all, 'generate-content', generateContentStreams),
    ...m7OfficialClients(all),
    ...q3CallsAnswered(all),
    ...qSameRequest(all),
    ...refusals(all),
    ...q4Signatures(readConversations(all)),
    ...u1Usage(all),
    ...u2NotAdded(all),
    ...e1ErrorBodies(all),
    ...e2FailedStreams(all),
  ]
}

describe('conformance with recorded exchanges', () => {
  for (const { name, run } of listCases(recordings)) {
    test(name, async () => {
      const judge = new Judge()
      await run(judge)
      judge.verdict()
    })
  }

  afterAll(() => {
    tally('recordings', recordings.length)
    tally('seed of the cuts', seed)
    printTally()
  })
})
