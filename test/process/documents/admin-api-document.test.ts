import { expect, test } from 'bun:test'
import { adminScopes } from '../../../src/core/access/admin-scope.ts'
import { readDocument, testCommandsOf } from './document-steps.ts'

const document = 'admin-api.md'

testCommandsOf(document)

test('docs/admin-api.md lists exactly the existing scopes', () => {
  const text = readDocument(document)
  const table = text.slice(text.indexOf('| scope '), text.indexOf('## Step by step'))
  const named = [...table.matchAll(/^\| `(\w+)` /gm)].map(([, scope]) => scope ?? '')
  expect(named).toEqual([...adminScopes])
})
