const lengthMin = 20

/** What stands in place of a secret. */
export const masked = '••••••'

/** What may be shown of a key in a list: enough to recognise it, far too little to use it. */
export function keyHint(value: string): string {
  return `${value.slice(0, 3)}…${value.slice(-4)}`
}

/**
 * What may be shown of a secret: enough to recognise it, far too little to use it; of a short one nothing. In plain
 * ASCII: it is written down with every request, and one wider character makes the text of all of them twice as wide.
 */
export function secretHint(value: string): string {
  return value.length < lengthMin ? '...' : `${value.slice(0, 3)}...${value.slice(-4)}`
}
