/**
 * Where the path of `http://host:port/path?query` begins, without building a URL object for every request: that would
 * also fail on a host that a caller has made up. With such a host the runtime gives the target alone, as it was sent.
 */
export function pathStartOf(url: string): number {
  if (url.startsWith('/')) return 0
  return Math.max(0, url.indexOf('/', url.indexOf('//') + 2))
}
