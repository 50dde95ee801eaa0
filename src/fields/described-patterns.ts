/*
 * Patterns in the API description for texts that no pattern can fully check. The gateway accepts every text that
 * matches, and also some unusual forms that do not match.
 */

const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const four = String.raw`(?:${octet}\.){3}${octet}`
const part = '[0-9A-Fa-f]{1,4}'
const six = [
  `(?:${part}:){7}${part}`,
  `(?:${part}:){1,7}:`,
  `(?:${part}:){1,3}(?::${part}){1,4}`,
  `::(?:${part}(?::${part}){0,6})?`,
].join('|')

export const describedSingleAddress = `^(?:${four}|${six})$`
export const describedAddress = `^(?:${four}(?:/(?:3[0-2]|[12]?[0-9]))?|(?:${six})(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`

const label = '[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*'
const lastLabel = '[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*'
const host = String.raw`(?:(?:${label}\.)*${lastLabel}|${four}|\[(?:${six})\])`
const port = '(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?'

/** The canonical names. The gateway also accepts their aliases. */
export const describedZone = `^(?:${['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => name.replaceAll('+', '[+]')).join('|')})$`

export const describedUrl = `^https?://${host}${port}(?:/[A-Za-z0-9._~!$&()*+,;=:@/-]*)?$`
export const describedProxy = `^https?://(?:[A-Za-z0-9._~-]+(?::[A-Za-z0-9._~-]+)?@)?${host}${port}/?$`
export const describedWebhook = `^https?://${host}${port}(?:/[A-Za-z0-9._~!$&()*+,;=:@/-]*)?(?:\\?[A-Za-z0-9._~!$&()*+,;=:@/-]*)?$`
