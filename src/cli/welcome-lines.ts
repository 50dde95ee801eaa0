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
    const { pathname, search, hash } = new URL(made)
    const url = `${new URL(gatewayUrl).origin}${pathname}${search}${hash}`
    lines.push(`sign-in link, valid once within 7 days: ${url}\n`)
  }
  if (isMailed) lines.push('The link is also on its way by email.\n')
  return lines.join('')
}
