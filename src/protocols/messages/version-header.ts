import { Fault } from '../../core/fault.ts'

export const versionHeaderNames = ['anthropic-version', 'vendor-version'] as const

/** The messages protocol's version is a date; which one does not matter to us, that it is one does. */
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

/** The caller's version under the name that the upstream reads; nothing when the caller gave none. */
export function versionHeaders(headers: Headers): Readonly<Record<string, string>> {
  const version = headers.get('anthropic-version') ?? headers.get('vendor-version')
  return version === null ? {} : { 'anthropic-version': version.trim() }
}
