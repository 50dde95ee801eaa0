import type { Asset, Assets } from './assets.ts'

const yearSeconds = 365 * 24 * 60 * 60
const notBuiltPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tollgate</title>
<body style="font-family: system-ui; margin: 4rem auto; max-width: 36rem">
<h1>The console is not built yet</h1>
<p>Run <code>npm run build:console</code> and start the gateway again.
The gateway itself works without it.</p>
</body></html>
`

/**
 * Serves a GET below /console/ that is not for the back end. The browser app has its own routes, so a path that names
 * no file gets the page that starts the app.
 */
export async function serveAsset(
  assets: Assets,
  request: Request,
  path: string,
): Promise<Response> {
  const asset = assets.find(path)
  if (asset) return sendAsset(asset, request)
  const isMissingFile = path.startsWith('assets/') || /\.\w+$/.test(path)
  if (isMissingFile) return new Response('Not found\n', { status: 404, headers: plainHeaders })
  const page = assets.find('index.html')
  if (page) return sendAsset(page, request)
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  return new Response(notBuiltPage, { status: 503, headers })
}

const plainHeaders = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }

async function sendAsset(asset: Asset, request: Request): Promise<Response> {
  const headers = new Headers({
    'content-type': asset.type,
    'cache-control': cacheControlOf(asset),
    vary: 'accept-encoding',
    etag: asset.etag,
  })
  if (request.headers.get('if-none-match') === asset.etag) {
    return new Response(null, { status: 304, headers })
  }
  const acceptsGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  const gzipBytes = acceptsGzip ? await asset.gzip?.() : undefined
  if (gzipBytes) headers.set('content-encoding', 'gzip')
  return new Response(request.method === 'HEAD' ? null : (gzipBytes ?? asset.bytes), { headers })
}

/** The page refers to the files of one build. A cached copy would refer to files that no longer exist. */
function cacheControlOf({ isImmutable, type }: Asset): string {
  if (isImmutable) return `public, max-age=${yearSeconds}, immutable`
  return type.startsWith('text/html') ? 'no-store' : 'no-cache'
}
