import type { keyOperations } from '../contract/operations/key-operations.ts'
import {
  createKeyRow,
  editKey,
  putKeyRow,
  removeKey,
  rotateKey,
  showKey,
} from '../handlers/keys/change-keys.ts'
import { listKeyRows, readKey } from '../handlers/keys/list-key-rows.ts'
import { convertToServiceKey } from '../handlers/keys/make-service-key.ts'
import { readKeyOptions } from '../handlers/keys/read-key-options.ts'
import type { Handlers } from './route.ts'

export const keyHandlers: Handlers<typeof keyOperations> = {
  'GET /keys': listKeyRows,
  'GET /key-options': readKeyOptions,
  'POST /keys': createKeyRow,
  'GET /keys/{id}': readKey,
  'PATCH /keys/{id}': editKey,
  'PUT /keys/{id}': putKeyRow,
  'DELETE /keys/{id}': removeKey,
  'POST /keys/{id}/reveal': showKey,
  'POST /keys/{id}/rotate': rotateKey,
  'POST /keys/{id}/convert': convertToServiceKey,
}
