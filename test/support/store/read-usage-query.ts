import { operations } from '../../../src/console-api/contract/operations/operations.ts'
import type { ReadUsageQuery } from '../../../src/console-api/contract/usage-query.ts'
import { readQuery } from '../../../src/console-api/http/read-input.ts'

/** Parses the parameters as the console does before it lists the log. */
export function readUsageQuery(query: URLSearchParams): ReadUsageQuery {
  return readQuery(operations['GET /usage'].query, query) as ReadUsageQuery
}
