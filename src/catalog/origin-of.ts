/** Scheme, host and port of a URL: a credential is bound to this origin. */
export function originOf(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null'
  // A URL without a web origin, such as the demo upstream's, is its own origin.
  return origin === 'null' ? url : origin
}
