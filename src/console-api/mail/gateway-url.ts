import type { RouteCall } from '../routes/route.ts'

/** The gateway's URL as this visitor reaches it, without a path. */
export function gatewayUrl({ request, isSecure, url }: RouteCall): string {
  const host = request.headers.get('host') ?? url.host
  return `${isSecure ? 'https' : 'http'}://${host}`
}

/** For links that other people open: the setting `publicUrl`, or the URL as this visitor reaches the gateway. */
export function linkUrl(call: RouteCall): string {
  return call.deps.publicUrl ?? gatewayUrl(call)
}
