import { a4ValidReplies } from './assertions/a4-valid-replies.ts'
import { a4ValidRequests } from './assertions/a4-valid-requests.ts'
import { e1ErrorBodies } from './assertions/e1-error-bodies.ts'
import { e2FailedStreams } from './assertions/e2-failed-streams.ts'
import { qSameRequest } from './assertions/q-same-request.ts'
import { q3CallsAnswered } from './assertions/q3-calls-answered.ts'
import { q4Signatures } from './assertions/q4-signatures.ts'
import { refusals } from './assertions/refusals.ts'
import { u1Usage, u2NotAdded } from './assertions/u1-usage.ts'
import { describeCases } from './describe-cases.ts'
import { readConversations } from './recordings/read-recordings.ts'

describeCases('schemas and requests', (all) => [
  ...a4ValidReplies(all),
  ...a4ValidRequests(all),
  ...q3CallsAnswered(all),
  ...qSameRequest(all),
  ...refusals(all),
  ...q4Signatures(readConversations(all)),
  ...u1Usage(all),
  ...u2NotAdded(all),
  ...e1ErrorBodies(all),
  ...e2FailedStreams(all),
])
