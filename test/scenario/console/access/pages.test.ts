import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { readAssets } from '../../../../src/console-api/http/read-assets.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'

let fixture: ConsoleFixture
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-assets-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>app</title>')
  writeFileSync(join(folder, 'assets', 'app-1a2b.js'), 'export {}')
  writeFileSync(join(folder, '.built-from'), 'stamp')
  fixture = await openConsoleFixture({ assets: readAssets(folder) })
})
afterAll(async () => {
  await fixture.close()
  rmSync(folder, { recursive: true })
})

describe('the built pages', () => {
  const files = [
    ['/console/', 200, 'text/html; charset=utf-8', 'no-store'],
    ['/console/usage', 200, 'text/html; charset=utf-8', 'no-store'],
    ['/console/sign-in', 200, 'text/html; charset=utf-8', 'no-store'],
    ['/console/assets/app-1a2b.js', 200, 'text/javascript; charset=utf-8', 'immutable'],
    ['/console/assets/gone.js', 404, 'text/plain; charset=utf-8', 'no-store'],
    ['/console/missing.png', 404, 'text/plain; charset=utf-8', 'no-store'],
    ['/console/..%2f..%2fpackage.json', 404, 'text/plain; charset=utf-8', 'no-store'],
  ] as const
  for (const [path, status, type, cache] of files) {
    test(`${path} is ${status}`, async () => {
      const response = await fixture.get(path)
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe(type)
      expect(response.headers.get('cache-control')).toContain(cache)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('referrer-policy')).toBe('no-referrer')
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
    })
  }

  test('/console redirects to /console/', async () => {
    const response = await fixture.get('/console')
    expect([response.status, response.headers.get('location')]).toEqual([308, '/console/'])
  })

  test('an unexpected file in the build folder is not served', async () => {
    expect(await (await fixture.get('/console/.built-from')).text()).not.toContain('stamp')
  })

  test('an unchanged file is not sent again', async () => {
    const etag = (await fixture.get('/console/assets/app-1a2b.js')).headers.get('etag') ?? ''
    const again = await fixture.get('/console/assets/app-1a2b.js', {
      headers: { 'if-none-match': etag },
    })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test('are compressed if the client accepts it, otherwise plain', async () => {
    const send = (encoding: string) =>
      fetch(`${fixture.url}/console/assets/app-1a2b.js`, {
        headers: { 'accept-encoding': encoding },
        decompress: false,
      })
    const packed = await send('gzip, br')
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(await packed.bytes()).toString()).toBe('export {}')
    const plain = await send('identity')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe('export {}')
  })

  test('accept only GET and HEAD', async () => {
    const response = await fetch(`${fixture.url}/console/`, { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const head = await fetch(`${fixture.url}/console/`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

test('a console that is not built says how to build it', async () => {
  const bare = await openConsoleFixture({ assets: readAssets(join(folder, 'nowhere')) })
  const response = await bare.get('/console/')
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('npm run build:console')
  await bare.close()
})
