const attributes = 'target_session_attrs'
/** The gateway always uses the host that accepts writes, so these two values change nothing. */
const writable = new Set([`${attributes}=read-write`, `${attributes}=primary`])

/**
 * Divides `postgres://user:password@one:5432,two:5432/name` into one URL for each host. Undefined when the text is no
 * Postgres URL, or asks for hosts that cannot be written to.
 */
export function splitPostgresUrl(text: string): readonly string[] | undefined {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(?:\?([^#]*))?$/.exec(text)
  if (!parts) return undefined
  const [, start = '', hosts = '', path = '', query = ''] = parts
  const parameters = query.split('&').filter((each) => each !== '' && !writable.has(each))
  if (parameters.some((each) => each.startsWith(`${attributes}=`))) return undefined
  const names = hosts.split(',')
  if (names.length > 1 && names.includes('')) return undefined
  const rest = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
  const urls = names.map((name) => `${start}${name}${rest}`)
  return urls.every((url) => URL.canParse(url)) ? urls : undefined
}
