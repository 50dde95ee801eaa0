const lengthMin = 20

/** What may be shown of a secret: enough to recognise it, far too little to use it; of a short one nothing. */
export function secretHint(value: string): string {
  return value.length < lengthMin ? '…' : `${value.slice(0, 3)}…${value.slice(-4)}`
}
