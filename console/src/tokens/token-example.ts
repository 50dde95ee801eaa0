import type { AdminScope } from '../../../src/console-api/contract.ts'

/** An example request per scope, the most illustrative first. */
const reads: readonly (readonly [AdminScope, (account: string) => string])[] = [
  ['all', () => '/keys'],
  ['read', () => '/keys'],
  ['keys', () => '/keys'],
  ['usage', () => '/usage/totals'],
  ['accounts', () => '/tokens'],
  ['money', (account) => `/statement?account=${account}`],
  ['catalogue', () => '/catalogue'],
  ['recordings', (account) => `/accounts/${account}/recordings`],
]

interface Example {
  readonly root: string
  /** The token, or a placeholder. */
  readonly value: string
  readonly scopes: readonly AdminScope[]
  /** Null: the whole gateway. */
  readonly accountId: string | null
}

/** A curl command that a token with these scopes may run. */
export function tokenExample({ root, value, scopes, accountId }: Example): string {
  const account = accountId === null ? 'ACCOUNT' : encodeURIComponent(accountId)
  const path = reads.find(([scope]) => scopes.includes(scope))?.[1](account) ?? '/keys'
  return [`curl '${root}/admin/v1${path}' \\`, `  -H "Authorization: Bearer ${value}"`].join('\n')
}
