const odd = /[^A-Za-z0-9+/=]/
const whole = /^[A-Za-z0-9+/]*$/

/**
 * Base64 as every vendor reads it: the usual alphabet, padded, on one line. Clients also send the URL-safe alphabet
 * (google-genai for Python), no padding, line breaks, or percent signs inside a data URL. Text that is no base64 is
 * returned unchanged: the upstream says what is wrong with it.
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

/** Pieces that were encoded one by one, as one text; undecodable ones are joined as they are. */
export function joinBase64(pieces: readonly string[]): string {
  if (pieces.length === 1) return pieces[0] ?? ''
  try {
    const parts = pieces.map((piece) => Uint8Array.fromBase64(standardBase64(piece)))
    const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      joined.set(part, at)
      at += part.length
    }
    return joined.toBase64()
  } catch {
    return pieces.join('')
  }
}
