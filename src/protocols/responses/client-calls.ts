import {
  type CallRow,
  type ClientCalls,
  countRow,
  decodeSegment,
  exchangeRow,
  inBody,
  type StoredAction,
} from '../client-calls.ts'

const name = 'responses'
const path = '/v1/responses'

export const clientCalls: ClientCalls = {
  rows: [
    exchangeRow(name, /^\/v1\/responses$/),
    countRow(name, /^\/v1\/responses\/input_tokens$/),
    exchangeRow(name, /^\/v1\/responses\/compact$/, { ...inBody, isCompaction: true }),
    storedRow(/^\/v1\/responses\/([^/]+)$/, ['GET', 'DELETE'], (method) =>
      method === 'DELETE' ? 'delete' : 'get',
    ),
    storedRow(/^\/v1\/responses\/([^/]+)\/input_items$/, ['GET'], () => 'input-items'),
    storedRow(/^\/v1\/responses\/([^/]+)\/cancel$/, ['POST'], () => 'cancel'),
  ],
  fixedPaths: [path, `${path}/input_tokens`, `${path}/compact`],
  idsAfter: ['responses'],
  isOwnPath: (called) => called.startsWith(path),
  ownHeaders: [],
  basePath: '/v1',
  generatePath: { whole: path, stream: path },
}

function storedRow(
  pattern: RegExp,
  methods: readonly string[],
  actionOf: (method: string) => StoredAction,
): CallRow {
  return {
    path: pattern,
    methods,
    open: (match, { method }) => ({
      kind: 'stored',
      protocol: name,
      id: decodeSegment(match[1] ?? ''),
      action: actionOf(method),
    }),
  }
}
