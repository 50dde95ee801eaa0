import { expect, test } from 'bun:test'
import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { fixedPaths, generatePaths, segmentsBeforeIds } from '../../../src/gateway/client-paths.ts'
import { protocols } from '../../../src/protocols/index.ts'

/* The server, the message about unknown paths and the playground use the paths that the protocols declare. */

test.each(protocolNames)('%s: each declared path is one of its calls', (name) => {
  const { rows, fixedPaths: own, generatePath } = protocols[name].clientCalls
  for (const path of [...own, generatePath.whole, generatePath.stream.replace(/\?.*/, '')]) {
    expect(rows.some((row) => row.path.test(path))).toBe(true)
  }
})

test.each(protocolNames)('%s: each call without an id is declared', (name) => {
  const { rows, fixedPaths: own } = protocols[name].clientCalls
  const plain = rows.filter(({ path }) => !path.source.includes('('))
  expect(plain).toHaveLength(own.length)
})

test.each(protocolNames)('%s: ids follow only the declared segments', (name) => {
  const { rows, idsAfter } = protocols[name].clientCalls
  for (const { path } of rows.filter((row) => row.path.source.includes('('))) {
    expect(idsAfter.some((segment) => path.source.includes(segment))).toBe(true)
  }
})

test('all protocols together', () => {
  expect([...fixedPaths].sort()).toEqual([
    '/v1/chat/completions',
    '/v1/messages',
    '/v1/messages/count_tokens',
    '/v1/models',
    '/v1/responses',
    '/v1/responses/compact',
    '/v1/responses/input_tokens',
    '/v1beta/models',
  ])
  expect(generatePaths).toHaveLength(protocolNames.length)
  expect([...segmentsBeforeIds].sort()).toEqual(['models', 'responses', 'tunedModels'])
})
