import type { peopleOperations } from '../contract/operations/people-operations.ts'
import {
  createAccount,
  editAccount,
  listAccounts,
  putAccountRow,
  readOperatorAccount,
  releaseAccount,
} from '../handlers/operate/accounts.ts'
import { addCredit, reverseNamedCredit, reverseOneCredit } from '../handlers/operate/credits.ts'
import { readLedgerStatement } from '../handlers/operate/ledger-statement.ts'
import {
  clearPasskeys,
  createUserRow,
  deleteUser,
  editUser,
  listUsers,
  makeLink,
  readUser,
  resetTotp,
  unlinkOpenId,
  verifyUserEmail,
} from '../handlers/operate/users.ts'
import type { Handlers } from './route.ts'

export const peopleHandlers: Handlers<typeof peopleOperations> = {
  'GET /operate/accounts': listAccounts,
  'POST /operate/accounts': createAccount,
  'GET /operate/accounts/{id}': readOperatorAccount,
  'PATCH /operate/accounts/{id}': editAccount,
  'PUT /operate/accounts/{id}': putAccountRow,
  'POST /operate/accounts/{id}/credits': addCredit,
  'POST /operate/credits/{id}/reverse': reverseOneCredit,
  'POST /operate/accounts/{id}/reverse': reverseNamedCredit,
  'GET /operate/accounts/{id}/statement': readLedgerStatement,
  'POST /operate/accounts/{id}/release': releaseAccount,
  'GET /operate/users': listUsers,
  'POST /operate/users': createUserRow,
  'GET /operate/users/{id}': readUser,
  'PATCH /operate/users/{id}': editUser,
  'PUT /operate/users/{id}': editUser,
  'DELETE /operate/users/{id}': deleteUser,
  'POST /operate/users/{id}/sign-in-link': makeLink,
  'POST /operate/users/{id}/vouch': verifyUserEmail,
  'POST /operate/users/{id}/totp/remove': resetTotp,
  'POST /operate/users/{id}/passkeys/remove': clearPasskeys,
  'POST /operate/users/{id}/open-id/remove': unlinkOpenId,
}
