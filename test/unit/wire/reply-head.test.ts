import { describe, expect, test } from 'bun:test'
import { BadReplyHead, ReplyHead } from '../../../src/wire/reply-head.ts'

const head = (...lines: string[]): ReplyHead =>
  new ReplyHead(lines.map((line) => `${line}\r\n`).join(''))

describe('the head of a reply', () => {
  test.each([
    ['HTTP/1.1 200 OK', 200],
    ['HTTP/1.1 529 Site is overloaded', 529],
    ['HTTP/1.0 404 Not Found', 404],
    ['HTTP/1.1 204', 204],
    ['HTTP/1.1 200 ', 200],
  ])('%s', (line, status) => expect(head(line).status).toBe(status))

  test.each([
    [['HTTP/2 200 OK']],
    [['HTTP/1.1 20 OK']],
    [['ICY 200 OK']],
    [['HTTP/1.1 200 OK', 'no colon']],
    [['HTTP/1.1 200 OK', 'a: b', ' folded: c']],
    [['HTTP/1.1 200 OK', 'spaced name: b']],
    [['HTTP/1.1 200 OK', ': no name']],
    [['']],
  ])('%j is refused', (lines) => expect(() => head(...lines)).toThrow(BadReplyHead))

  test('fields are found in any case, and joined when repeated', () => {
    const one = head(
      'HTTP/1.1 200 OK',
      'X-Request-ID:  r1 ',
      'Warning: a',
      'content-type:x/y',
      'WARNING: b',
    )
    expect(one.get('x-request-id')).toBe('r1')
    expect(one.get('Content-Type')).toBe('x/y')
    expect(one.get('warning')).toBe('a, b')
    expect(one.get('type')).toBeNull()
    expect(one.get('y')).toBeNull()
  })

  test.each([
    [['HTTP/1.1 200 OK', 'content-length: 12'], { kind: 'length', bytes: 12 }],
    [
      ['HTTP/1.1 200 OK', 'content-length: 12', 'content-length: 12'],
      { kind: 'length', bytes: 12 },
    ],
    [['HTTP/1.1 200 OK', 'transfer-encoding: chunked', 'content-length: 3'], { kind: 'chunked' }],
    [['HTTP/1.1 200 OK', 'Transfer-Encoding: gzip, Chunked'], { kind: 'chunked' }],
    [['HTTP/1.1 200 OK', 'transfer-encoding: gzip'], { kind: 'until-close' }],
    [['HTTP/1.1 200 OK'], { kind: 'until-close' }],
    [['HTTP/1.1 204 No Content', 'content-length: 5'], { kind: 'none' }],
  ])('%j has the framing %j', (lines, framing) =>
    expect(head(...lines).framing() as unknown).toEqual(framing),
  )

  test.each(['12, 13', '-1', '1e3', '0x10', '', '9999999999999999'])(
    'a length of "%s" is refused',
    (length) =>
      expect(() => head('HTTP/1.1 200 OK', `content-length: ${length}`).framing()).toThrow(
        BadReplyHead,
      ),
  )

  test.each([
    [['HTTP/1.1 200 OK'], true],
    [['HTTP/1.1 200 OK', 'Connection: Close'], false],
    [['HTTP/1.0 200 OK'], false],
    [['HTTP/1.0 200 OK', 'connection: keep-alive'], true],
  ])('%j keeps its connection: %j', (lines, isKept) =>
    expect(head(...lines).isKeptAlive).toBe(isKept),
  )
})
