import { freePrice, type PriceTable } from '../../../../src/console-api/contract.ts'
import { nanoOfDollars } from '../../../../src/console-api/rules.ts'

export const priceNames = [
  'inputNano',
  'outputNano',
  'cacheReadNano',
  'cacheWrite5mNano',
  'cacheWrite1hNano',
  'requestNano',
] as const satisfies readonly (keyof PriceTable)[]

/** A price as it is typed: US$ in decimal. */
export type PriceValues = Record<keyof PriceTable, string>

const nanoPerDollar = 1_000_000_000n

export function priceValues(price: PriceTable | null): PriceValues {
  const values = { ...freePrice }
  return Object.fromEntries(
    Object.keys(values).map((name) => [
      name,
      dollarsOf((price ?? values)[name as keyof PriceTable]),
    ]),
  ) as PriceValues
}

/** What was typed, exactly. Only to be asked once every field is known to be an amount. */
export function priceOf(values: PriceValues): PriceTable {
  const nano = (name: keyof PriceTable) => nanoOfDollars(values[name]) ?? '0'
  return {
    inputNano: nano('inputNano'),
    cacheReadNano: nano('cacheReadNano'),
    cacheWrite5mNano: nano('cacheWrite5mNano'),
    cacheWrite1hNano: nano('cacheWrite1hNano'),
    outputNano: nano('outputNano'),
    requestNano: nano('requestNano'),
  }
}

/** `2.5`: as short as it can be said exactly. */
function dollarsOf(nano: string): string {
  const amount = BigInt(nano)
  const rest = (amount % nanoPerDollar).toString().padStart(9, '0').replace(/0+$/, '')
  return `${amount / nanoPerDollar}${rest === '' ? '' : `.${rest}`}`
}
