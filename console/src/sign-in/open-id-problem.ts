import type { SignInProblem } from '../../../src/console-api/contract.ts'

type ProblemTextKey =
  | 'signIn.openIdFailed'
  | 'signIn.openIdUnknown'
  | 'signIn.openIdEmail'
  | 'signIn.openIdDomain'
  | 'signIn.openIdGroup'
  | 'signIn.openIdClaim'
  | 'signIn.openIdStale'
  | 'signIn.openIdTaken'

const textOf: Readonly<Record<SignInProblem, ProblemTextKey>> = {
  'open-id-failed': 'signIn.openIdFailed',
  'open-id-unknown': 'signIn.openIdUnknown',
  'open-id-email': 'signIn.openIdEmail',
  'open-id-domain': 'signIn.openIdDomain',
  'open-id-group': 'signIn.openIdGroup',
  'open-id-claim': 'signIn.openIdClaim',
  'open-id-stale': 'signIn.openIdStale',
  'open-id-taken': 'signIn.openIdTaken',
}
/** By the `problem` of the URL, which anyone can write. */
const problemTexts: ReadonlyMap<string, ProblemTextKey> = new Map(Object.entries(textOf))

/** The name of the text that explains why the identity provider has signed nobody in. */
export function openIdProblemText(problem: string): ProblemTextKey {
  return problemTexts.get(problem) ?? 'signIn.openIdFailed'
}
