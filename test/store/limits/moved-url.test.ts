import { expect, test } from 'bun:test'
import { movedUrl } from '../../../src/store/redis/moved-url.ts'

test.each([
  ['redis://a:1', 'MOVED 2716 127.0.0.1:7001', 'redis://127.0.0.1:7001'],
  ['rediss://u:p%40@a.example:1/0', 'MOVED 0 b.example:2', 'rediss://u:p%40@b.example:2/0'],
  ['redis://a', 'MOVED 16383 ::1:7001', 'redis://[::1]:7001'],
  ['redis://:p@a:1', 'MOVED 1 :7001', 'redis://:p@a:7001'],
  ['redis://a:1', 'MOVED 1 b', undefined],
  ['redis://a:1', 'ERR MOVED 1 b:2', undefined],
  ['redis://a:1', 'CLUSTERDOWN Hash slot not served', undefined],
])('%s, %s: %s', (url, message, moved) => {
  expect(movedUrl(url, message)).toBe(moved as string)
})
