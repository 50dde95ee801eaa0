import { addMember, editMember, endMembership } from '../answers/account/members.ts'
import { readAccount, renameAccount } from '../answers/account/own-account.ts'
import type { Route } from '../route.ts'

const reads = { who: 'member', owns: 'path-account' } as const
const owner = { who: 'member', owns: 'path-account', role: 'owner' } as const

export const accountRoutes: readonly Route[] = [
  { method: 'GET', path: '/accounts/{id}', ...reads, answer: readAccount },
  { method: 'PATCH', path: '/accounts/{id}', ...owner, answer: renameAccount },
  { method: 'POST', path: '/accounts/{id}/members', ...owner, answer: addMember },
  { method: 'PATCH', path: '/accounts/{id}/members', ...owner, answer: editMember },
  { method: 'DELETE', path: '/accounts/{id}/members', ...owner, answer: endMembership },
]
