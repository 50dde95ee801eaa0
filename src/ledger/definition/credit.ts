import { z } from 'zod'
import { formatDollars, type Nano, parseDollars } from '../../core/money/money.ts'
import { define, required } from '../../fields/definition.ts'
import { codecOf, type Kind } from '../../fields/kind.ts'
import { dollarsMax, idKind, moneyKind, nameKind } from '../../fields/kinds.ts'
import { problemMessage } from '../../fields/problems.ts'

const zero = { error: problemMessage('amount_zero') }

/** US dollars to add or, when negative, to deduct; never zero. Accepts the typographic minus sign as well. */
export const creditAmountKind: Kind<Nano, string> = {
  entry: 'money',
  show: String,
  write: formatDollars,
  wire: codecOf(
    z.string({ error: problemMessage('nano_wrong') }).regex(/^-?(?:[1-9]\d{0,17}|10{18})$/, {
      error: ({ input }) =>
        problemMessage(/^-?0$/.test(String(input)) ? 'amount_zero' : 'nano_wrong'),
    }),
    z.bigint(),
    'nano_wrong',
    { read: BigInt, write: String },
  ),
  written: codecOf<Nano, string | number>(
    z.union([z.string(), z.number()], { error: problemMessage('credit_wrong') }),
    z.bigint(),
    'credit_wrong',
    { read: readAmount, write: formatDollars },
  ).refine((amountNano) => amountNano !== 0n, zero),
}

/** US dollars of a grant or a correction, which have separate commands. */
export const grantAmountKind: Kind<Nano, string> = {
  ...moneyKind,
  written: moneyKind.written.refine((amountNano) => amountNano !== 0n, zero),
}

function readAmount(written: string | number): Nano | undefined {
  const text = String(written)
    .trim()
    .replace(/^[-−]\s*/, '-')
  const nano = parseDollars(text)
  return nano !== undefined && nano >= -dollarsMax && nano <= dollarsMax ? nano : undefined
}

/** Money that an operator adds to an account or deducts from it. */
export const creditDefinition = define('credit', {
  amountNano: required(creditAmountKind, {
    file: 'amount',
    about: 'Amount to add; a negative amount is deducted.',
    by: 'operator',
    isFixed: true,
  }),
  reason: required(nameKind, {
    about: 'The reason, for the records.',
    by: 'operator',
    isFixed: true,
  }),
  externalId: required(idKind, {
    file: 'id',
    about: 'Your own id for this credit. A repeated id is applied once.',
    by: 'operator',
    isFixed: true,
  }),
})
