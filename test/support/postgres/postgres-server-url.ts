import { missingPart } from '../missing-part.ts'

/**
 * The Postgres server that `npm test` started. Without a server, the tests called `name` are reported as skipped, and
 * the caller skips them.
 */
export function postgresServerUrl(name: string): string | undefined {
  const url = process.env['TEST_POSTGRES_URL']
  if (url) return url
  const reason = process.env['TEST_POSTGRES_MISSING'] ?? 'no Postgres; set TEST_POSTGRES_URL'
  missingPart(name, reason)
  return undefined
}
