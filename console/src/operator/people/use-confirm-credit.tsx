import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDollars } from '../../format/dollars.ts'
import { useConfirm } from '../../parts/use-confirm.tsx'

interface CreditRequest {
  /** The name of the account. */
  readonly name: string
  /** What the account has now; nothing when it is new. */
  readonly availableNano: string
  /** Negative when money is taken back. */
  readonly amountNano: string
  readonly reason: string
  readonly onYes: () => void
}

/** Every credit is asked about before it moves, whatever its amount, the first one of a new account included. */
export function useConfirmCredit(): [(request: CreditRequest) => void, ReactNode] {
  const { t } = useTranslation()
  const [ask, dialog] = useConfirm()
  const confirm = ({ name, availableNano, amountNano, reason, onYes }: CreditRequest) => {
    const isCorrection = amountNano.startsWith('-')
    const told = { amount: formatDollars(amountNano.replace('-', '')), name }
    ask({
      title: isCorrection ? t('people.correctTitle', told) : t('people.grantTitle', told),
      text: (
        <Stack gap="xs">
          <Text size="sm">{t('people.confirmReason', { reason })}</Text>
          <BalanceAfter availableNano={availableNano} amountNano={amountNano} />
        </Stack>
      ),
      action: isCorrection ? t('people.correct') : t('people.grant'),
      ...(isCorrection ? {} : { color: 'teal' }),
      onYes,
    })
  }
  return [confirm, dialog]
}

/** Says what the balance becomes: somebody who has typed a zero too many sees it here. */
export function BalanceAfter(props: { availableNano: string; amountNano: string }) {
  const { t } = useTranslation()
  const before = BigInt(props.availableNano)
  const after = before + BigInt(props.amountNano)
  const amounts = { before: formatDollars(before), after: formatDollars(after) }
  return (
    <Text size="sm">
      {after < 0n ? t('people.confirmShort', amounts) : t('people.confirmBalance', amounts)}
    </Text>
  )
}
