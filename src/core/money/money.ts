/** Nano-US-dollars. All money in Tollgate is an integer in this unit, never a float. */
export type Nano = bigint

const fractionDigitsMax = 9

export const nanoPerDollar = 10n ** BigInt(fractionDigitsMax)

/** One million: prices are per million tokens, group factors are in millionths. */
export const million = 1_000_000n

/**
 * Reads a decimal such as `2.50` or `1e-7` exactly. Returns undefined for any other text, and for a value finer than a
 * nano.
 */
export function parseDecimal(input: string | number, scaleDigits: number): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(String(input).trim())
  if (!match) return undefined
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match
  const exponent = Number(exponentText) + scaleDigits - fraction.length
  const digits = BigInt(whole + fraction)
  const value = exponent >= 0 ? digits * 10n ** BigInt(exponent) : divideExactly(digits, -exponent)
  if (value === undefined) return undefined
  return sign === '-' ? -value : value
}

function divideExactly(digits: bigint, places: number): bigint | undefined {
  const divisor = 10n ** BigInt(places)
  return digits % divisor === 0n ? digits / divisor : undefined
}

/** The shortest exact decimal of a whole number of the smallest unit: `1500000n` with 6 digits → `1.5`. */
export function shortDecimal(value: bigint, scaleDigits: number): string {
  const unit = 10n ** BigInt(scaleDigits)
  const rest = String((value % unit) + unit)
    .slice(1)
    .replace(/0+$/, '')
  return `${value / unit}${rest === '' ? '' : `.${rest}`}`
}

/** The shortest exact amount, such as `2.5`. */
export function shortDollars(nano: Nano): string {
  return shortDecimal(nano, fractionDigitsMax)
}

export function parseDollars(input: string | number): Nano | undefined {
  return parseDecimal(input, fractionDigitsMax)
}

/** `1234500000n` → `1.2345`: exact, at least two decimals, never in scientific notation. */
export function formatDollars(nano: Nano): string {
  const digits = digitsOf(nano < 0n ? -nano : nano).padStart(fractionDigitsMax + 1, '0')
  const point = digits.length - fractionDigitsMax
  let end = digits.length
  while (end > point + 2 && digits[end - 1] === '0') end -= 1
  return `${nano < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point, end)}`
}

/** An amount in a sentence: `$1.50`, `-$1.50`. Where no number follows, the unit is called US$. */
export function dollarText(nano: Nano): string {
  return nano < 0n ? `-$${formatDollars(-nano)}` : `$${formatDollars(nano)}`
}

const centNano = nanoPerDollar / 100n

/**
 * A measured amount in a sentence: `$8.12`, below ten cents with two significant digits: `$0.0012`. Rounded down, so that
 * a balance below a limit does not read like the limit.
 */
export function roundedDollarText(nano: Nano): string {
  const size = digitsOf(nano < 0n ? -nano : nano).length
  const step = smallerOf(centNano, 10n ** BigInt(Math.max(0, size - 2)))
  const above = nano % step
  return dollarText(nano - (above < 0n ? above + step : above))
}

/** Formatting a number is many times faster than formatting a big integer. */
function digitsOf(nano: Nano): string {
  const number = Number(nano)
  return Number.isSafeInteger(number) ? String(number) : nano.toString()
}

/** Math.min does not accept big integers. */
export function smallerOf(left: Nano, right: Nano): Nano {
  if (left < right) return left
  return right
}

export function largerOf(left: Nano, right: Nano): Nano {
  if (left > right) return left
  return right
}
