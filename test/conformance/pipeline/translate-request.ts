import type { ModelRequest } from '../../../src/core/neutral/model-request.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { answerCalls } from '../../../src/protocols/fit/answer-calls.ts'
import { fitTools } from '../../../src/protocols/fit/fit-tools.ts'
import { nameResults } from '../../../src/protocols/fit/name-results.ts'
import { protocols } from '../../../src/protocols/index.ts'
import type { ModelTraits } from '../../../src/protocols/model-traits.ts'
import { Notes } from '../../../src/protocols/notes.ts'
import { writeJson } from '../../../src/wire/exact-json.ts'

export interface RequestTarget {
  readonly model: string
  readonly issuer: string
  readonly traits: ModelTraits
}

export interface UpstreamRequest {
  readonly text: string
  readonly warnings: readonly string[]
  readonly restore: ReturnType<typeof fitTools>['restore']
}

/** A client's request as the body for an upstream. Content that cannot be expressed is refused with a Fault. */
export function translateRequest(
  client: ProtocolName,
  upstream: ProtocolName,
  request: ModelRequest,
  target: RequestTarget,
  isStrict = false,
): UpstreamRequest {
  const { translation } = protocols[upstream]
  const notes = new Notes(protocols[client].translation.fieldNames, isStrict)
  const answered = answerCalls(request, notes)
  const fitted = fitTools(nameResults(answered), translation.toolRules, notes)
  const text = writeJson(
    translation.encodeRequest(fitted.request, { ...target, outputTokensMax: 32_000 }, notes),
  )
  return { text, warnings: notes.warnings, restore: fitted.restore }
}
