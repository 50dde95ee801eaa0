import type { tokenOperations } from '../contract/operations/token-operations.ts'
import {
  createTokenRow,
  listTokenRows,
  readTokenRow,
  revokeTokenRow,
} from '../handlers/tokens/change-tokens.ts'
import type { Handlers } from './route.ts'

export const tokenHandlers: Handlers<typeof tokenOperations> = {
  'GET /tokens': listTokenRows,
  'POST /tokens': createTokenRow,
  'GET /tokens/{id}': readTokenRow,
  'DELETE /tokens/{id}': revokeTokenRow,
}
