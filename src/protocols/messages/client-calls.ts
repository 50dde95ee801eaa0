import {
  type ClientCalls,
  commonModelRows,
  countRow,
  exchangeRow,
  modelsPath,
} from '../client-calls.ts'
import { checkVersionHeader, versionHeaderNames } from './version-header.ts'

const name = 'messages'
const path = '/v1/messages'

/**
 * Clients of this protocol are identified by their version header, or by a key in `x-api-key` instead of a bearer
 * token.
 */
export const clientCalls: ClientCalls = {
  rows: [
    exchangeRow(name, /^\/v1\/messages$/),
    countRow(name, /^\/v1\/messages\/count_tokens$/),
    ...commonModelRows(name),
  ],
  fixedPaths: [path, `${path}/count_tokens`, modelsPath],
  idsAfter: ['models'],
  isOwnPath: (called) => called.startsWith('/v1/messages'),
  ownHeaders: versionHeaderNames,
  keyHeader: 'x-api-key',
  checkHeaders: checkVersionHeader,
  basePath: '',
  generatePath: { whole: path, stream: path },
}
