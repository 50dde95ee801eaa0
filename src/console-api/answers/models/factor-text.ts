/** `1500000` → `1.5`: exact, without zeros at the end. */
export function factorText(factorMicro: number): string {
  const digits = String(factorMicro).padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${fraction}`
}
