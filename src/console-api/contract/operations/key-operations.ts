import { keyStates } from '../../../core/access/key-state.ts'
import { keyKinds, keySorts, sortOrders } from '../choices.ts'
import { id, oneOf, parameter, query, search } from '../inputs.ts'
import { keyOptions, keyPut, keyRow, keysAnswer, keyWithValue, revealedKey } from '../keys.ts'
import { managedBodies } from '../managed-bodies.ts'
import { cursor, limit, pageRows } from '../paging.ts'
import { doneAnswer } from '../shapes.ts'
import { accounts, type OperationTable, oneAccount } from './operation.ts'

const reads = { who: 'member', owns: 'path-key' } as const
const changes = { who: 'member', owns: 'path-key', role: 'member' } as const
const hasValue = { who: 'member', owns: 'path-key-value', role: 'member' } as const

export const keyOperations = {
  'GET /keys': {
    ...accounts,
    summary: 'List keys, newest first',
    query: query({
      account: parameter,
      /** Part of a name, or of the hint. */
      search,
      sort: oneOf(keySorts),
      order: oneOf(sortOrders),
      state: oneOf(keyStates),
      /** One that the key names. */
      group: parameter,
      kind: oneOf(keyKinds),
      /** The id of a user: only keys that belong to this user. */
      user: id,
      after: cursor('either', 'text'),
      limit: limit(pageRows.keys),
    }),
    answer: keysAnswer,
  },
  'GET /key-options': {
    ...oneAccount,
    summary: 'List the options for a key of an account',
    query: query({ account: parameter }),
    answer: keyOptions,
  },
  'POST /keys': {
    who: 'member',
    owns: 'body-account',
    role: 'member',
    summary: 'Create a key; only its owner gets the value of a personal key',
    body: managedBodies.newKey,
    answer: keyPut,
  },
  'GET /keys/{id}': { ...reads, summary: 'Get a key', answer: keyRow },
  'PATCH /keys/{id}': {
    ...changes,
    summary: 'Update a key; absent members stay unchanged',
    body: managedBodies.keyEdit,
    answer: keyRow,
  },
  'PUT /keys/{id}': {
    who: 'member',
    owns: 'body-account',
    role: 'owner',
    summary: 'Create or replace a key; the response to a creation contains the value',
    body: managedBodies.putKey,
    answer: keyPut,
  },
  'DELETE /keys/{id}': { ...changes, summary: 'Delete a key', answer: doneAnswer },
  'POST /keys/{id}/reveal': {
    ...hasValue,
    isFresh: true,
    summary: 'Reveal the value of a key',
    answer: revealedKey,
  },
  'POST /keys/{id}/rotate': {
    ...hasValue,
    summary: 'Rotate the value of a key; the old value stops working at once',
    answer: keyWithValue,
  },
  'POST /keys/{id}/convert': {
    who: 'member',
    owns: 'path-key',
    role: 'owner',
    summary: 'Turn the key of a user who has left into a service key with a new value',
    answer: keyWithValue,
  },
} as const satisfies OperationTable
