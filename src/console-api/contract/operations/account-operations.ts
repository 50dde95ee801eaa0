import { accountDetail, accountMember, memberAdded } from '../account.ts'
import { flagParameter, parameter, query } from '../inputs.ts'
import { managedBodies } from '../managed-bodies.ts'
import { doneAnswer } from '../shapes.ts'
import type { OperationTable } from './operation.ts'

const owner = { who: 'member', owns: 'path-account', role: 'owner' } as const
const oneMember = query({ force: flagParameter }).extend({ user: parameter })

export const accountOperations = {
  'GET /accounts/{id}': {
    who: 'member',
    owns: 'path-account',
    summary: 'Get an account and its members',
    answer: accountDetail,
  },
  'PATCH /accounts/{id}': {
    ...owner,
    summary: 'Rename an account',
    body: managedBodies.accountName,
    answer: accountDetail,
  },
  'POST /accounts/{id}/members': {
    ...owner,
    isThrottled: true,
    summary: 'Add a member to an account',
    body: managedBodies.newMember,
    answer: memberAdded,
  },
  'PATCH /accounts/{id}/members': {
    ...owner,
    summary: 'Change the role or the spending limits of a member',
    query: oneMember,
    body: managedBodies.memberEdit,
    answer: accountMember,
  },
  'DELETE /accounts/{id}/members': {
    ...owner,
    owns: 'path-member',
    summary: 'Remove a member; every member may leave',
    query: oneMember,
    answer: doneAnswer,
  },
} as const satisfies OperationTable
