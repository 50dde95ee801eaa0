import { expect, test } from 'bun:test'
import { pathProblem } from '../../../src/http-in/request-target.ts'

/** An id with a slash is one segment, in which the slash is encoded. */
test.each([
  [['admin', 'v1', 'models', 'vendor/model'], true],
  [['admin', 'v1', 'upstreams', 'a/b', 'credentials'], true],
  [['console', 'api', 'operate', 'models', 'vendor/model'], true],
  [['v1', 'models', 'vendor/model'], true],
  [['admin', 'v1/models', 'x'], false],
  [['admin', 'v1', 'models/x'], false],
  [['console', 'a/b'], false],
  [['metrics/x'], false],
  [['admin', 'v1', 'models', 'a//b'], false],
  [['admin', 'v1', 'models', '../x'], false],
  [['admin', 'v1', 'models', 'x/.'], false],
])('%j is accepted: %p', (segments, isTaken) => {
  const url = `http://gateway.example.com/${segments.map(encodeURIComponent).join('/')}`
  expect(pathProblem(url, segments) === undefined).toBe(isTaken)
})
