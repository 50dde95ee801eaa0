import type { WatchedPage } from './open-browser.ts'
import { overflowPixels } from './page-steps.ts'
import { type AxeRules, seriousIssues } from './serious-issues.ts'

/**
 * All problems of a page as it is shown now: wider than its window, serious axe findings, and errors since the last
 * check.
 */
export async function lookProblems(
  look: string,
  { page, complaints }: WatchedPage,
  rules: AxeRules = 'all',
): Promise<string[]> {
  const pixels = await overflowPixels(page)
  const problems = [
    ...(pixels === 0 ? [] : [`wider than the window by ${pixels} pixels`]),
    ...(await seriousIssues(page, rules)),
    ...complaints.splice(0),
  ]
  return problems.map((problem) => `${look}: ${problem}`)
}
