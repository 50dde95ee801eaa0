import { serviceKey } from './key-owner-fixture.ts'

/** The callers. Lee has left the account and still has a login; Ivy's address is not verified. */
export const callers = {
  'the owner of the key': 'u_ann',
  'an owner of the account': 'u_owen',
  'another member': 'u_amy',
  'a viewer': 'u_vera',
  'an invited login': 'u_ivy',
  'a former member': 'u_left',
  'another account': 'u_bob',
  'an operator': 'u_root',
  'a token of the account': 'acme',
  'a token of the gateway': 'gateway',
} as const
export type Caller = keyof typeof callers
export const callerNames = Object.keys(callers) as Caller[]

/** The expected response of each operation, by caller: a status, or a status with the code of a refusal. */
export const gone = '404 not_found'
export const no = '403 not_allowed'
const active = '409 conflict'
const [owned, whole, none] = ['200', '200', gone]
const outsiders = [none, none, none, none, none] as const
type Row = readonly [
  name: string,
  key: 'key_ann' | 'key_left' | typeof serviceKey,
  method: string,
  path: string,
  answers: readonly string[],
]

/** Only the owner of a personal key gets its value. For callers without access the key does not exist. */
export const accessTable: readonly Row[] = [
  ['read a personal key', 'key_ann', 'GET', '', [owned, whole, ...outsiders, whole, whole, whole]],
  [
    'change the limits of a personal key',
    'key_ann',
    'PATCH',
    '',
    [owned, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'delete a personal key',
    'key_ann',
    'DELETE',
    '',
    [owned, whole, ...outsiders, whole, whole, whole],
  ],
  ['reveal a personal key', 'key_ann', 'POST', '/reveal', [owned, no, ...outsiders, no, no, no]],
  ['rotate a personal key', 'key_ann', 'POST', '/rotate', [owned, no, ...outsiders, no, no, no]],
  [
    'convert a personal key',
    'key_ann',
    'POST',
    '/convert',
    [no, active, ...outsiders, active, active, active],
  ],
  ['use a personal key in the playground', 'key_ann', 'PLAY', '', [owned, no, ...outsiders, no]],
  ['read a service key', serviceKey, 'GET', '', [none, whole, ...outsiders, whole, whole, whole]],
  [
    'change the limits of a service key',
    serviceKey,
    'PATCH',
    '',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'delete a service key',
    serviceKey,
    'DELETE',
    '',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'reveal a service key',
    serviceKey,
    'POST',
    '/reveal',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'rotate a service key',
    serviceKey,
    'POST',
    '/rotate',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'convert a service key',
    serviceKey,
    'POST',
    '/convert',
    [none, active, ...outsiders, active, active, active],
  ],
  [
    'use a service key in the playground',
    serviceKey,
    'PLAY',
    '',
    [none, whole, ...outsiders, whole],
  ],
  [
    'read the key of a former member',
    'key_left',
    'GET',
    '',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'reveal the key of a former member',
    'key_left',
    'POST',
    '/reveal',
    [none, no, ...outsiders, no, no, no],
  ],
  [
    'rotate the key of a former member',
    'key_left',
    'POST',
    '/rotate',
    [none, no, ...outsiders, no, no, no],
  ],
  [
    'use the key of a former member in the playground',
    'key_left',
    'PLAY',
    '',
    [none, no, ...outsiders, no],
  ],
  [
    'convert the key of a former member',
    'key_left',
    'POST',
    '/convert',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'delete the key of a former member',
    'key_left',
    'DELETE',
    '',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
]
