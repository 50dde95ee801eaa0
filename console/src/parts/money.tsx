import { Text, type TextProps, Tooltip } from '@mantine/core'
import type { NanoText } from '../../../src/console-api/contract.ts'
import { formatDollars, formatShortDollars, splitDollars } from '../format/dollars.ts'

interface MoneyProps extends TextProps {
  readonly nano: NanoText | bigint
  /** Rounded for the eye, with the exact amount behind it. */
  readonly isShort?: boolean
}

/** An exact amount. The digits beyond the cents are there, but step back. */
export function Money({ nano, isShort = false, ...props }: MoneyProps) {
  if (isShort) {
    return (
      <Tooltip label={formatDollars(nano)}>
        <Text span inherit className="figures" {...props}>
          {formatShortDollars(nano)}
        </Text>
      </Tooltip>
    )
  }
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
