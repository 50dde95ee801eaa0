/**
 * Where the path of `http://host:port/path?query` begins, without building a URL object for every request: that would
 * also fail on a host that a caller has made up.
 */
export function pathStartOf(url: string): number {
  return url.indexOf('/', url.indexOf('//') + 2)
}
