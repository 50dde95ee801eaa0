import type { AdminScope } from '../../../src/console-api/contract.ts'

/** Something to read for each scope, in the order in which a token that has several is shown off. */
const reads: readonly (readonly [AdminScope, (account: string) => string])[] = [
  ['all', () => '/keys'],
  ['read', () => '/keys'],
  ['keys', () => '/keys'],
  ['usage', () => '/usage/totals'],
  ['accounts', () => '/tokens'],
  ['money', (account) => `/statement?account=${account}`],
  ['catalogue', () => '/catalogue'],
]

interface Example {
  readonly root: string
  /** Of the token, or what stands for it. */
  readonly value: string
  readonly scopes: readonly AdminScope[]
  /** Null for the whole gateway. */
  readonly accountId: string | null
}

/** A request that a token with these scopes may send, as a command for a terminal. */
export function tokenExample({ root, value, scopes, accountId }: Example): string {
  const account = accountId === null ? 'ACCOUNT' : encodeURIComponent(accountId)
  const path = reads.find(([scope]) => scopes.includes(scope))?.[1](account) ?? '/keys'
  return [`curl '${root}/admin/v1${path}' \\`, `  -H "Authorization: Bearer ${value}"`].join('\n')
}
