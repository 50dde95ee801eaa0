const lengthMin = 20

/** Replaces a secret. */
export const masked = '••••••'

/** The visible part of a key in a list: enough to recognise the key, far too little to use it. */
export function keyHint(value: string): string {
  return `${value.slice(0, 3)}…${value.slice(-4)}`
}

/**
 * The visible part of a secret: enough to recognise it, far too little to use it; nothing of a short secret. Plain
 * ASCII, because the hint is stored with every request, and one wider character would double the size of each text.
 */
export function secretHint(value: string): string {
  return value.length < lengthMin ? '...' : `${value.slice(0, 3)}...${value.slice(-4)}`
}
