import {
  createKeyRow,
  editKey,
  removeKey,
  rotateKey,
  showKey,
} from '../answers/keys/change-keys.ts'
import { listKeyRows, readKey } from '../answers/keys/list-key-rows.ts'
import { readKeyOptions } from '../answers/keys/read-key-options.ts'
import type { Route } from '../route.ts'

const reads = { who: 'member', owns: 'path-key' } as const
const changes = { who: 'member', owns: 'path-key', role: 'member' } as const

export const keyRoutes: readonly Route[] = [
  { method: 'GET', path: '/keys', who: 'member', owns: 'accounts', answer: listKeyRows },
  {
    method: 'GET',
    path: '/keys/options',
    who: 'member',
    owns: 'one-account',
    answer: readKeyOptions,
  },
  {
    method: 'POST',
    path: '/keys',
    who: 'member',
    owns: 'body-account',
    role: 'member',
    answer: createKeyRow,
  },
  { method: 'GET', path: '/keys/{id}', ...reads, answer: readKey },
  { method: 'PATCH', path: '/keys/{id}', ...changes, answer: editKey },
  { method: 'DELETE', path: '/keys/{id}', ...changes, answer: removeKey },
  { method: 'POST', path: '/keys/{id}/reveal', ...changes, isFresh: true, answer: showKey },
  { method: 'POST', path: '/keys/{id}/rotate', ...changes, answer: rotateKey },
]
