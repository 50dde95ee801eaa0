import { a1DecodesAnyCut } from './assertions/a1-decodes-any-cut.ts'
import { a1SurvivesDamage } from './assertions/a1-survives-damage.ts'
import { a1Truncated } from './assertions/a1-truncated.ts'
import { a2a3SameMeaning } from './assertions/a2-a3-same-meaning.ts'
import { a3RoundTrip } from './assertions/a3-round-trip.ts'
import { chatCompletionsStreams } from './assertions/chat-completions-streams.ts'
import { generateContentStreams } from './assertions/generate-content-streams.ts'
import { m7OfficialClients } from './assertions/m7-official-clients.ts'
import { messagesStreams } from './assertions/messages-streams.ts'
import { responsesStreams } from './assertions/responses-streams.ts'
import { streamCases } from './assertions/stream-rule.ts'
import { describeCases } from './describe-cases.ts'

describeCases('replies in pieces', (all) => [
  ...a1DecodesAnyCut(all),
  ...a1SurvivesDamage(all),
  ...a1Truncated(all),
  ...a2a3SameMeaning(all),
  ...a3RoundTrip(all),
  ...streamCases(all, 'messages', messagesStreams),
  ...streamCases(all, 'chat-completions', chatCompletionsStreams),
  ...streamCases(all, 'responses', responsesStreams),
  ...streamCases(all, 'generate-content', generateContentStreams),
  ...m7OfficialClients(all),
])
