import type { z } from 'zod'

/**
 * Marks an issue whose message ends the sentence itself. Other messages of the schemas of this module are rules such as
 * `must be a list`; the value and a full stop follow.
 */
export function wholeSentence(message: string) {
  return { code: 'custom', message, params: { isWhole: true } } as const
}

export function isWholeSentence(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'custom' && issue.params?.['isWhole'] === true
}
