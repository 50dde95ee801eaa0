import type { UpstreamTestResult } from '../../../src/console-api/contract.ts'
import { useKnownText } from './use-known-text.ts'

/** The problem of a tested upstream, followed by the message of the upstream or the system. */
export function useProblemText(): (
  problem: NonNullable<UpstreamTestResult['problem']>,
) => readonly string[] {
  const knownText = useKnownText()
  return ({ code, words }) => {
    const text = knownText(`problem.${code}`) ?? code
    return words === null ? [text] : [text, words]
  }
}
