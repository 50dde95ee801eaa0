import { accountStates } from '../../../accounts/definition/account.ts'
import { consoleRoles } from '../../../accounts/definition/user.ts'
import { newSchema } from '../../../fields/definition.ts'
import { creditDefinition } from '../../../ledger/definition/credit.ts'
import { body, flagParameter, moment, oneOf, parameter, query, search, text } from '../inputs.ts'
import { managedBodies } from '../managed-bodies.ts'
import { cursor, limit, pageRows } from '../paging.ts'
import {
  accountsAnswer,
  ledgerStatement,
  moneyMoved,
  operatorAccountDetail,
  userRow,
  usersAnswer,
  userVouched,
  userWithLink,
} from '../people.ts'
import { doneAnswer } from '../shapes.ts'
import { type OperationTable, operator } from './operation.ts'

/** External ids from before there was a rule can also be named. */
const creditNameCharactersMax = 256
const after = cursor('text')

/** Accounts with their money, and users. */
export const peopleOperations = {
  'GET /operate/accounts': {
    ...operator,
    summary: 'List accounts by id',
    query: query({ search, status: oneOf(accountStates), after, limit: limit(pageRows.accounts) }),
    answer: accountsAnswer,
  },
  'POST /operate/accounts': {
    ...operator,
    summary: 'Create an account',
    query: query({ confirm: flagParameter }),
    body: managedBodies.newAccount,
    answer: operatorAccountDetail,
  },
  'GET /operate/accounts/{id}': {
    ...operator,
    summary: 'Get an account with its credits',
    answer: operatorAccountDetail,
  },
  'PATCH /operate/accounts/{id}': {
    ...operator,
    summary: 'Update an account; absent members stay unchanged',
    body: managedBodies.accountEdit,
    answer: operatorAccountDetail,
  },
  'PUT /operate/accounts/{id}': {
    ...operator,
    summary: 'Create or replace an account; its money stays unchanged',
    body: managedBodies.putAccount,
    answer: operatorAccountDetail,
  },
  'POST /operate/accounts/{id}/credits': {
    ...operator,
    summary: 'Grant a credit, or take money back with a negative amount',
    query: query({ confirm: flagParameter }),
    body: newSchema(creditDefinition),
    answer: moneyMoved,
  },
  'POST /operate/credits/{id}/reverse': {
    ...operator,
    summary: 'Reverse a credit completely, at most once',
    query: query({ confirm: flagParameter }),
    answer: moneyMoved,
  },
  'POST /operate/accounts/{id}/reverse': {
    ...operator,
    summary: 'Reverse a credit, identified by its id or, if no id matches, its external id',
    query: query({ confirm: flagParameter }),
    body: body({ credit: text(creditNameCharactersMax) }),
    example: { credit: 'order-1001' },
    answer: moneyMoved,
  },
  'GET /operate/accounts/{id}/statement': {
    ...operator,
    summary: 'Get the statement of an account for a period: all credits and charges in the ledger',
    query: query({ from: moment, to: moment }),
    answer: ledgerStatement,
  },
  'POST /operate/accounts/{id}/release': {
    ...operator,
    summary: 'Release an account that the self-audit has stopped',
    answer: operatorAccountDetail,
  },
  'GET /operate/users': {
    ...operator,
    summary: 'List users by email address',
    query: query({
      search,
      role: oneOf(consoleRoles),
      suspended: flagParameter,
      /** An account that the users belong to. */
      account: parameter,
      after,
      limit: limit(pageRows.users),
    }),
    answer: usersAnswer,
  },
  'POST /operate/users': {
    ...operator,
    isFresh: true,
    summary: 'Create a user and a one-time sign-in link',
    body: managedBodies.newUser,
    answer: userWithLink,
  },
  'GET /operate/users/{id}': { ...operator, summary: 'Get a user', answer: userRow },
  'PATCH /operate/users/{id}': {
    ...operator,
    summary: 'Update a user; absent members stay unchanged',
    query: query({ force: flagParameter }),
    body: managedBodies.userEdit,
    answer: userRow,
  },
  'PUT /operate/users/{id}': {
    ...operator,
    summary: 'Replace a user; use POST to create one',
    query: query({ force: flagParameter }),
    body: managedBodies.putUser,
    answer: userRow,
  },
  'DELETE /operate/users/{id}': {
    ...operator,
    summary: 'Delete a user',
    query: query({ force: flagParameter }),
    answer: doneAnswer,
  },
  'POST /operate/users/{id}/sign-in-link': {
    ...operator,
    isFresh: true,
    summary: 'Create a one-time sign-in link for a user',
    answer: userWithLink,
  },
  'POST /operate/users/{id}/vouch': {
    ...operator,
    isFresh: true,
    summary: 'Mark the email address of a user as verified',
    answer: userVouched,
  },
  'POST /operate/users/{id}/totp/remove': {
    ...operator,
    isFresh: true,
    summary: 'Remove the authenticator app of a user who has lost it',
    answer: userRow,
  },
  'POST /operate/users/{id}/passkeys/remove': {
    ...operator,
    isFresh: true,
    summary: 'Remove all passkeys of a user',
    answer: userRow,
  },
  'POST /operate/users/{id}/open-id/remove': {
    ...operator,
    isFresh: true,
    summary:
      'Unlink a user from the identity provider; the next sign-in there links the user again',
    answer: userRow,
  },
} as const satisfies OperationTable
