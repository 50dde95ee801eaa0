import { type ClientCalls, commonModelRows, exchangeRow } from '../client-calls.ts'

const name = 'chat-completions'
const path = '/v1/chat/completions'

export const clientCalls: ClientCalls = {
  rows: [exchangeRow(name, /^\/v1\/chat\/completions$/), ...commonModelRows(name)],
  isOwnPath: (called) => called.startsWith('/v1/chat/'),
  ownHeaders: [],
  basePath: '/v1',
  generatePath: { whole: path, stream: path },
}
