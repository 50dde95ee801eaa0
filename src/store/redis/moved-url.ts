/**
 * The URL of the node that has the keys, when a node of a cluster refuses a call because it does not have them; undefined
 * for any other refusal. A node that does not know the name of the other one leaves the host out: it is the same.
 */
export function movedUrl(url: string, message: string): string | undefined {
  const [, host, port] = /^MOVED \d+ (\S*):(\d+)$/.exec(message) ?? []
  if (host === undefined || port === undefined) return undefined
  const moved = new URL(url)
  if (host !== '') moved.hostname = host.includes(':') ? `[${host}]` : host
  moved.port = port
  return moved.href
}
