import { Text, type TextProps } from '@mantine/core'
import type { NanoText } from '../../../src/console-api/contract.ts'
import { splitDollars } from '../format/dollars.ts'

/** An exact amount. The digits beyond the cents are there, but step back. */
export function Money({ nano, ...props }: TextProps & { nano: NanoText | bigint }) {
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
