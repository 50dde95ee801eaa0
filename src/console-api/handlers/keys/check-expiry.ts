import { expiryProblem } from '../../contract/rules.ts'
import { unfitField } from '../../refusal.ts'

/** The expiry of a key must be in the future. */
export function checkExpiry<Settings extends { readonly expiresAt?: number | null }>(
  settings: Settings,
  nowMs: number,
): Settings {
  const { expiresAt } = settings
  const problem = typeof expiresAt === 'number' ? expiryProblem(expiresAt, nowMs) : undefined
  if (problem !== undefined) throw unfitField('expiresAt', problem)
  return settings
}
