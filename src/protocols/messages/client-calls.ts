import { type ClientCalls, commonModelRows, countRow, exchangeRow } from '../client-calls.ts'
import { checkVersionHeader, versionHeaderNames } from './version-header.ts'

const name = 'messages'
const path = '/v1/messages'

/** Its clients are known by their version header, or by a key that comes in `x-api-key` and not as a bearer token. */
export const clientCalls: ClientCalls = {
  rows: [
    exchangeRow(name, /^\/v1\/messages$/),
    countRow(name, /^\/v1\/messages\/count_tokens$/),
    ...commonModelRows(name),
  ],
  isOwnPath: (called) => called.startsWith('/v1/messages'),
  ownHeaders: versionHeaderNames,
  keyHeader: 'x-api-key',
  checkHeaders: checkVersionHeader,
  basePath: '',
  generatePath: { whole: path, stream: path },
}
