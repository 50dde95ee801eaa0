/** Scheme, host and port of an address: the place that a credential is bound to. */
export function originOf(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null'
  // What is no address of the web, such as the demo upstream's, is a place by its whole name.
  return origin === 'null' ? url : origin
}
