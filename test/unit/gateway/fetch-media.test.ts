import { afterAll, describe, expect, test } from 'bun:test'
import { createServer, type ServerResponse } from 'node:http'
import { Fault } from '../../../src/core/fault.ts'
import { fetchMedia, type MediaLimits } from '../../../src/gateway/forward/fetch-media.ts'
import { createSendHttp } from '../../../src/http-out/outgoing-http.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** The server's answers by path; the requested paths are recorded. */
const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/png': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(png),
  '/html': (response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end('<html>hello</html>'),
  '/empty': (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(),
  '/missing': (response) => response.writeHead(404).end(png),
  '/partial': (response) => response.writeHead(206).end(png),
  '/once': (response) => response.writeHead(302, { location: '/png' }).end(),
  '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
  '/inside': (response) => response.writeHead(302, { location: 'http://inside.example/png' }).end(),
  '/metadata': (response) =>
    response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end(),
  '/file': (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/declared': (response) =>
    response.writeHead(200, { 'content-length': '5000000' }).end(Buffer.alloc(5_000_000)),
  '/endless': (response) => {
    response.writeHead(200)
    response.write(png)
    const write = () => {
      while (response.write(Buffer.alloc(65_536)));
      response.once('drain', write)
    }
    response.on('error', () => undefined)
    write()
  },
  '/silent': () => undefined,
  '/stalled': (response) => {
    response.writeHead(200)
    response.write(png)
  },
}

const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(`${request.headers.host?.split(':')[0]}${request.url}`)
  pages[request.url ?? '']?.(response)
})
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const address = server.address()
const port = typeof address === 'object' ? (address?.port ?? 0) : 0

/** Most names resolve to this machine. */
const send = createSendHttp({
  resolve: async (name: string) => {
    if (name === 'nowhere.example') throw new Error('ENOTFOUND')
    if (name === 'none.example') return []
    if (name === 'mixed.example') return ['93.184.216.34', '127.0.0.1']
    return ['127.0.0.1']
  },
})

function take(path: string, limits: Partial<MediaLimits> = { allowPrivate: true }) {
  return fetchMedia(`http://media.example:${port}${path}`, send, limits)
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    expect(error.code).toBe('invalid_request')
    expect(error.status).toBe(400)
    return error.message
  }
  throw new Error('the file was not refused')
}

test('a file becomes base64, with the type of its bytes and not of its header', async () => {
  const { mime, base64, base64Bytes } = await take('/png')
  const text = Buffer.concat(base64).toString('latin1')
  expect({ mime, text }).toEqual({ mime: 'image/png', text: png.toString('base64') })
  expect(base64Bytes).toBe(text.length)
  expect(asked.at(-1)).toBe('media.example/png')
})

test('a redirect is followed', async () => {
  expect((await take('/once')).mime).toBe('image/png')
})

describe('refused files', () => {
  const host = `media.example:${port}`
  const kinds = 'is not an image, PDF, audio or video file of a supported type'
  const rows: [string, string, string, Partial<MediaLimits>?][] = [
    ['an HTML page with the type of an image', '/html', `The file at ${host} ${kinds}.`],
    ['nothing', '/empty', `The file at ${host} ${kinds}.`],
    ['an error status', '/missing', `The file at ${host} answered HTTP 404.`],
    ['a partial response', '/partial', `The file at ${host} answered HTTP 206.`],
    ['a redirect loop', '/loop', `The file at ${host} redirects more than 3 times.`],
    [
      'a redirect to another scheme',
      '/file',
      'The URL of an image or file must start with http:// or https:// and contain no user name.',
    ],
    [
      'a declared size above the limit',
      '/declared',
      `The file at ${host} is larger than 1 MiB.`,
      { bytesMax: 1_048_576 },
    ],
    [
      'an undeclared size above the limit',
      '/endless',
      `The file at ${host} is larger than 1 MiB.`,
      { bytesMax: 1_048_576 },
    ],
    ['silence', '/silent', `The file at ${host} did not arrive in time.`, { timeoutMs: 50 }],
    [
      'a body that stalls',
      '/stalled',
      `The file at ${host} did not arrive in time.`,
      { timeoutMs: 50 },
    ],
  ]
  test.each(rows)('%s', async (_name, path, message, limits = {}) => {
    expect(await refusalOf(take(path, { allowPrivate: true, ...limits }))).toBe(message)
  })

  test.each([
    [
      'a host name without an address',
      'http://none.example/',
      'The file at none.example cannot be reached.',
    ],
    [
      'an unknown host name',
      'http://nowhere.example/x?token=hidden',
      'The file at nowhere.example cannot be reached.',
    ],
    [
      'text that is not a URL',
      'picture.png',
      expect.stringContaining('must start with http:// or https://'),
    ],
    [
      'a file: URL',
      'file:///etc/passwd',
      expect.stringContaining('must start with http:// or https://'),
    ],
    [
      'a URL with a user name',
      'http://a:b@media.example/',
      expect.stringContaining('contain no user name'),
    ],
  ])('%s', async (_name, url, message) => {
    expect(await refusalOf(fetchMedia(url, send, { allowPrivate: true }))).toEqual(message)
  })
})

describe('no connection to an address that is not public', () => {
  test.each([
    `http://127.0.0.1:${port}/png`,
    `http://2130706433:${port}/png`,
    `http://0x7f.1:${port}/png`,
    `http://127.1:${port}/png`,
    `http://[::1]:${port}/png`,
    `http://[::ffff:127.0.0.1]:${port}/png`,
    `http://localhost:${port}/png`,
    `http://media.example:${port}/png`,
    `http://mixed.example:${port}/png`,
    `http://0.0.0.0:${port}/png`,
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/latest/meta-data',
    'http://10.0.0.1/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
  ])('%s', async (url) => {
    const before = asked.length
    expect(await refusalOf(fetchMedia(url, send))).toContain('is not at a public address')
    expect(asked.length).toBe(before)
  })

  test.each(['/inside', '/metadata'])('behind a redirect: %s', async (path) => {
    const from = `media.example${path}`
    const before = asked.filter((each) => each !== from)
    const guarded = createSendHttp({
      resolve: async (name: string) => [name === 'inside.example' ? '10.0.0.1' : '127.0.0.1'],
      isPublic: (address: string) => address === '127.0.0.1',
    })
    const url = `http://media.example:${port}${path}`
    expect(await refusalOf(fetchMedia(url, guarded))).toContain('is not at a public address')
    // A request that was aborted before may still arrive.
    const late = ['media.example/silent', 'media.example/stalled']
    const since = asked.filter((each) => each !== from).slice(before.length)
    expect(since.filter((each) => !late.includes(each))).toEqual([])
    expect(asked.filter((each) => each === from)).toEqual([from])
  })

  test('a name is looked up once, and the checked address is used', async () => {
    let lookups = 0
    const rebinding = createSendHttp({
      resolve: async () => {
        lookups += 1
        return lookups === 1 ? ['127.0.0.1'] : ['127.0.0.2']
      },
    })
    const url = `http://media.example:${port}/png`
    expect((await fetchMedia(url, rebinding, { allowPrivate: true })).mime).toBe('image/png')
    expect(lookups).toBe(1)
  })
})
