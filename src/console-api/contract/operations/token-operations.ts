import { parameter, query } from '../inputs.ts'
import { managedBodies } from '../managed-bodies.ts'
import { cursor, limit, pageRows } from '../paging.ts'
import { revokedTokens, tokenRow, tokensAnswer, tokenWithValue } from '../tokens.ts'
import { accounts, type OperationTable } from './operation.ts'

/**
 * Owners manage tokens. Without `?account=` a call covers all accounts that the caller owns; for an administrator, the
 * whole gateway.
 */
const owned = { ...accounts, role: 'owner' } as const
const narrowed = query({ account: parameter })

export const tokenOperations = {
  'GET /tokens': {
    ...owned,
    summary: 'List admin API tokens, newest first',
    query: query({
      account: parameter,
      after: cursor('number', 'text'),
      limit: limit(pageRows.tokens),
    }),
    answer: tokensAnswer,
  },
  'POST /tokens': {
    ...owned,
    isFresh: true,
    summary: 'Create an admin API token; the response contains its value, once',
    query: narrowed,
    body: managedBodies.newToken,
    answer: tokenWithValue,
  },
  'GET /tokens/{id}': {
    ...owned,
    summary: 'Get an admin API token without its value',
    query: narrowed,
    answer: tokenRow,
  },
  'DELETE /tokens/{id}': {
    ...owned,
    summary: 'Revoke an admin API token and every token created with it',
    query: narrowed,
    answer: revokedTokens,
  },
} as const satisfies OperationTable
