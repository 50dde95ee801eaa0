import type { UpstreamTestResult } from '../../../src/console-api/contract.ts'
import { useKnownText } from './use-known-text.ts'

/** What is wrong with an upstream that was tested, and what it or the system has said itself. */
export function useProblemText(): (
  problem: NonNullable<UpstreamTestResult['problem']>,
) => readonly string[] {
  const knownText = useKnownText()
  return ({ code, words }) => {
    const told = knownText(`problem.${code}`) ?? code
    return words === null ? [told] : [told, words]
  }
}
