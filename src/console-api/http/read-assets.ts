import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Asset, Assets } from './assets.ts'

const compress = promisify(gzip)

const typeOf: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}
const shrinks = /^text\/|json|svg/
const hashedFolder = 'assets/'

/**
 * The built browser app. A file is read on first use and then kept in memory. Without the directory there are no files.
 */
export function readAssets(folder: string): Assets {
  const files = new Map<string, () => Asset>()
  for (const file of existsSync(folder) ? listFiles(folder) : []) {
    const type = typeOf[extname(file)]
    const path = relative(folder, file).split(sep).join('/')
    // Only known file types are served, so that an unexpected file in the build directory is not published.
    if (type !== undefined)
      files.set(
        path,
        once(() => readAsset(file, path, type)),
      )
  }
  return { find: (path) => files.get(path)?.() }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

function readAsset(file: string, path: string, type: string): Asset {
  const bytes = new Uint8Array(readFileSync(file))
  return {
    bytes,
    gzip: shrinks.test(type) ? onceGzipped(bytes) : undefined,
    type,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    isImmutable: path.startsWith(hashedFolder),
  }
}

/** Compresses on first use, outside the main thread. */
function onceGzipped(bytes: Uint8Array): () => Promise<Uint8Array<ArrayBuffer>> {
  let made: Promise<Uint8Array<ArrayBuffer>> | undefined
  return () => {
    made ??= compress(bytes).then((compressed) => new Uint8Array(compressed))
    return made
  }
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return listFiles(path)
    return entry.isFile() ? [path] : []
  })
}
