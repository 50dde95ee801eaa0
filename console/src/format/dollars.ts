import type { NanoText } from '../../../src/console-api/contract.ts'

const nanoPerDollar = 1_000_000_000n

/** An exact amount in three parts: `$1,234`, `.50` and the digits beyond the cents, which are often none. */
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

export function formatDollars(nano: NanoText): string {
  const { whole, cents, rest } = splitDollars(BigInt(nano))
  return `${whole}${cents}${rest}`
}
