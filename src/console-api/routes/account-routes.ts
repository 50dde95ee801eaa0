import type { accountOperations } from '../contract/operations/account-operations.ts'
import { addMember, editMember, endMembership } from '../handlers/account/members.ts'
import { readAccount, renameAccount } from '../handlers/account/own-account.ts'
import type { Handlers } from './route.ts'

export const accountHandlers: Handlers<typeof accountOperations> = {
  'GET /accounts/{id}': readAccount,
  'PATCH /accounts/{id}': renameAccount,
  'POST /accounts/{id}/members': addMember,
  'PATCH /accounts/{id}/members': editMember,
  'DELETE /accounts/{id}/members': endMembership,
}
