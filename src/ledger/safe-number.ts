/** Refuses an amount that a number cannot represent exactly, instead of rounding it. */
export function safeNumber(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new Error(`the amount ${value} is too large for a record`)
  return number
}
