/**
 * The link of a new user, and whether it is also mailed. The gateway returns the host that received the request;
 * people may use another one (`gatewayUrl`).
 */
export function welcomeLines({
  gatewayUrl,
  made,
  isMailed,
}: {
  readonly gatewayUrl: string
  readonly made: string | null
  readonly isMailed: boolean
}): string {
  const lines: string[] = []
  if (made !== null) {
    const url = reachableLink(gatewayUrl, made)
    lines.push(`sign-in link, valid once within 7 days: ${url}\n`)
  }
  if (isMailed) lines.push('The link is also on its way by email.\n')
  return lines.join('')
}

/** The link that the gateway made, with the host that people use. */
export function reachableLink(gatewayUrl: string, made: string): string {
  const { pathname, search, hash } = new URL(made)
  return `${new URL(gatewayUrl).origin}${pathname}${search}${hash}`
}
