import { Fault } from '../../core/fault.ts'

export const versionHeaderNames = ['anthropic-version', 'vendor-version'] as const

/** The version of the messages protocol is a date. The gateway accepts any date. */
export function checkVersionHeader(headers: Headers): void {
  for (const name of versionHeaderNames) {
    const value = headers.get(name)
    if (value !== null && !/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(value.trim())) {
      throw new Fault(
        'invalid_request',
        `The header "${name}" must be a date such as 2023-06-01.`,
        { param: name },
      )
    }
  }
}

/** The client's version under the header name that the upstream reads; empty when the client sent none. */
export function versionHeaders(headers: Headers): Readonly<Record<string, string>> {
  const version = headers.get('anthropic-version') ?? headers.get('vendor-version')
  return version === null ? {} : { 'anthropic-version': version.trim() }
}
