/** Exact or not at all: an amount that a number cannot hold is refused rather than rounded. */
export function safeNumber(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new Error(`the amount ${value} is too large for a record`)
  return number
}
