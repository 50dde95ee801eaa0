const odd = /[^A-Za-z0-9+/=]/
const whole = /^[A-Za-z0-9+/]*$/

/**
 * Base64 in the form that every vendor reads: the standard alphabet, padded, on one line. Clients also send the
 * URL-safe alphabet (google-genai for Python), no padding, line breaks, or percent-encoding inside a data URL. Text
 * that is not base64 is returned unchanged, so that the upstream reports the error.
 */
export function standardBase64(text: string): string {
  if (!odd.test(text) && text.length % 4 === 0) return text
  const body = unescaped(text)
    .replace(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={0,2}$/, '')
  if (!whole.test(body) || body.length % 4 === 1) return text
  return body.padEnd(Math.ceil(body.length / 4) * 4, '=')
}

function unescaped(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
