import { type ClientCalls, commonModelRows, exchangeRow, modelsPath } from '../client-calls.ts'

const name = 'chat-completions'
const path = '/v1/chat/completions'

export const clientCalls: ClientCalls = {
  rows: [exchangeRow(name, /^\/v1\/chat\/completions$/), ...commonModelRows(name)],
  fixedPaths: [path, modelsPath],
  idsAfter: ['models'],
  isOwnPath: (called) => called.startsWith('/v1/chat/'),
  ownHeaders: [],
  basePath: '/v1',
  generatePath: { whole: path, stream: path },
}
