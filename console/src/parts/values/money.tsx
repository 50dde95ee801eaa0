import { Text, type TextProps, Tooltip, VisuallyHidden } from '@mantine/core'
import type { NanoText } from '../../../../src/console-api/contract.ts'
import {
  fitDollars,
  formatDollars,
  formatShortDollars,
  splitDollars,
} from '../../format/dollars.ts'

interface MoneyProps extends TextProps {
  readonly nano: NanoText | bigint
  /** Rounded, with the exact amount in a tooltip. */
  readonly isShort?: boolean
  /** Rounded only if the exact amount is too long for a card or a column. */
  readonly isFitted?: boolean
}

/** An exact amount. Digits beyond the cents are less prominent. */
export function Money({ nano, isShort = false, isFitted = false, ...props }: MoneyProps) {
  const short = isShort ? formatShortDollars(nano) : isFitted ? fitDollars(nano) : undefined
  if (short !== undefined) return <ShortMoney nano={nano} short={short} {...props} />
  const { whole, cents, rest } = splitDollars(BigInt(nano))
  return (
    <Text span inherit className="figures" {...props}>
      {whole}
      {cents}
      {rest !== '' && (
        <Text span inherit c="dimmed" fz="0.8em" fw={400}>
          {rest}
        </Text>
      )}
    </Text>
  )
}

const whenPointed = { hover: true, focus: true, touch: true }

/** The exact amount is available on hover, on focus and to screen readers. */
function ShortMoney(props: TextProps & Pick<MoneyProps, 'nano'> & { readonly short: string }) {
  const { nano, short, ...rest } = props
  const exact = formatDollars(nano)
  if (exact === short) {
    return (
      <Text span inherit className="figures" {...rest}>
        {exact}
      </Text>
    )
  }
  return (
    <Tooltip label={exact} events={whenPointed}>
      <Text span inherit className="figures" tabIndex={0} {...rest}>
        <span aria-hidden>{short}</span>
        <VisuallyHidden>{exact}</VisuallyHidden>
      </Text>
    </Tooltip>
  )
}
