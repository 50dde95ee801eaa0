import { accountStates } from '../../accounts/definition/account.ts'
import { consoleRoles } from '../../accounts/definition/user.ts'
import { newSchema } from '../../fields/definition.ts'
import { creditDefinition } from '../../ledger/definition/credit.ts'
import { body, flagParameter, moment, parameter, query, search, text, word } from './inputs.ts'
import { managedBodies } from './managed-bodies.ts'
import { type OperationTable, operator } from './operation.ts'
import { cursor, limit, pageRows } from './paging.ts'
import {
  accountsAnswer,
  ledgerStatement,
  moneyMoved,
  operatorAccountDetail,
  userRow,
  usersAnswer,
  userVouched,
  userWithLink,
} from './people.ts'
import { doneAnswer } from './shapes.ts'

/** External ids from before there was a rule can also be named. */
const creditNameCharactersMax = 256
const after = cursor('text')

/** Accounts with their money, and users. */
export const peopleOperations = {
  'GET /operate/accounts': {
    ...operator,
    summary: 'List accounts in order of id',
    query: query({ search, status: word(accountStates), after, limit: limit(pageRows.accounts) }),
    answer: accountsAnswer,
  },
  'POST /operate/accounts': {
    ...operator,
    summary: 'Create an account',
    body: managedBodies.newAccount,
    answer: operatorAccountDetail,
  },
  'GET /operate/accounts/{id}': {
    ...operator,
    summary: 'Read an account with its credits',
    answer: operatorAccountDetail,
  },
  'PATCH /operate/accounts/{id}': {
    ...operator,
    summary: 'Change an account; what is absent stays as it is',
    body: managedBodies.accountEdit,
    answer: operatorAccountDetail,
  },
  'PUT /operate/accounts/{id}': {
    ...operator,
    summary: 'Make an account exactly this, whether it is there or not; its money stays',
    body: managedBodies.putAccount,
    answer: operatorAccountDetail,
  },
  'POST /operate/accounts/{id}/credits': {
    ...operator,
    summary: 'Grant a credit, or take money back with a negative one',
    body: newSchema(creditDefinition),
    answer: moneyMoved,
  },
  'POST /operate/credits/{id}/reverse': {
    ...operator,
    summary: 'Take a whole credit back, once',
    answer: moneyMoved,
  },
  'POST /operate/accounts/{id}/reverse': {
    ...operator,
    summary: 'Take a credit back, named by its id or by the number that it was granted with',
    body: body({ credit: text(creditNameCharactersMax) }),
    answer: moneyMoved,
  },
  'GET /operate/accounts/{id}/statement': {
    ...operator,
    summary: 'All credits and spending of an account in a period, from the ledger itself',
    query: query({ from: moment, to: moment }),
    answer: ledgerStatement,
  },
  'POST /operate/accounts/{id}/release': {
    ...operator,
    summary: 'Let an account go on that the self-audit has stopped',
    answer: operatorAccountDetail,
  },
  'GET /operate/users': {
    ...operator,
    summary: 'List the people who can sign in, in order of their addresses',
    query: query({
      search,
      role: word(consoleRoles),
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
    summary: 'Create a login, with a link to sign in once',
    body: managedBodies.newUser,
    answer: userWithLink,
  },
  'GET /operate/users/{id}': { ...operator, summary: 'Read a login', answer: userRow },
  'PATCH /operate/users/{id}': {
    ...operator,
    summary: 'Change a login; what is absent stays as it is',
    body: managedBodies.userEdit,
    answer: userRow,
  },
  'PUT /operate/users/{id}': {
    ...operator,
    summary: 'Make a login exactly this; a new one is made with POST',
    body: managedBodies.putUser,
    answer: userRow,
  },
  'DELETE /operate/users/{id}': { ...operator, summary: 'Delete a login', answer: doneAnswer },
  'POST /operate/users/{id}/sign-in-link': {
    ...operator,
    isFresh: true,
    summary: 'Make a link that signs this person in once',
    answer: userWithLink,
  },
  'POST /operate/users/{id}/vouch': {
    ...operator,
    isFresh: true,
    summary: 'Say that the address is this person’s',
    answer: userVouched,
  },
  'POST /operate/users/{id}/totp/remove': {
    ...operator,
    isFresh: true,
    summary: 'Remove the authenticator app of somebody who has lost it',
    answer: userRow,
  },
} as const satisfies OperationTable
