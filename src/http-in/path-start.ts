/**
 * Start of the path in `http://host:port/path?query`, without building a URL object for every request: URL would also
 * throw on an invalid Host. With such a host the runtime gives only the request target, as sent.
 */
export function pathStartOf(url: string): number {
  if (url.startsWith('/')) return 0
  return Math.max(0, url.indexOf('/', url.indexOf('//') + 2))
}
