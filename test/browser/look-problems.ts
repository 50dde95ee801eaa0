import type { WatchedPage } from './open-browser.ts'
import { overflowPixels } from './page-steps.ts'
import { type AxeRules, seriousIssues } from './serious-issues.ts'

/**
 * All that is wrong with a page as it is shown now: wider than its window, what axe finds serious, and what it has
 * complained about since the last look.
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
