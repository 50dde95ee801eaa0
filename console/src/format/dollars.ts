import type { NanoText } from '../../../src/console-api/contract.ts'
import { nanoPerDollar } from '../../../src/console-api/contract.ts'

/** An exact amount in three parts: `$1,234`, `.50` and the digits beyond the cents, which may be empty. */
export function splitDollars(nano: bigint): { whole: string; cents: string; rest: string } {
  const absolute = nano < 0n ? -nano : nano
  const fraction = (absolute % nanoPerDollar).toString().padStart(9, '0')
  const whole = (absolute / nanoPerDollar).toLocaleString('en-US')
  return {
    whole: `${nano < 0n ? '−' : ''}$${whole}`,
    cents: `.${fraction.slice(0, 2)}`,
    rest: fraction.slice(2).replace(/0+$/, ''),
  }
}

export function formatDollars(nano: NanoText | bigint): string {
  const { whole, cents, rest } = splitDollars(BigInt(nano))
  return `${whole}${cents}${rest}`
}

/** An amount of the gateway's texts, such as `$2500.00`, with separators. */
export function groupDigits(amount: string): string {
  const [whole = '', ...rest] = amount.split('.')
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.')
}

/** Short form for cards and axes: two decimals from one dollar on, two significant digits below. Not exact. */
export function formatShortDollars(nano: NanoText | bigint): string {
  return shortDollars(Number(BigInt(nano)) / Number(nanoPerDollar))
}

/** The number of characters that fit into a card of half a phone's width. */
const cardCharactersMax = 14
/** Font size of the digits beyond the cents. */
const restScale = 0.8

/** Shortens an amount that is too long for a card; undefined if it fits. */
export function fitDollars(nano: NanoText | bigint): string | undefined {
  const { whole, cents, rest } = splitDollars(BigInt(nano))
  const length = whole.length + cents.length
  if (length + rest.length * restScale <= cardCharactersMax) return undefined
  return length < cardCharactersMax ? `${whole}${cents}…` : formatShortDollars(nano)
}

export function shortDollars(dollars: number): string {
  const absolute = Math.abs(dollars)
  const sign = dollars < 0 ? '−' : ''
  if (absolute >= 10_000) {
    const compact = new Intl.NumberFormat('en-US', {
      notation: 'compact',
      maximumFractionDigits: 1,
    })
    return `${sign}$${compact.format(absolute)}`
  }
  if (absolute >= 0.1 || absolute === 0) {
    const plain = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
    return `${sign}$${absolute.toLocaleString('en-US', plain)}`
  }
  const digits = { maximumSignificantDigits: 2, maximumFractionDigits: 9 }
  return `${sign}$${absolute.toLocaleString('en-US', digits)}`
}
