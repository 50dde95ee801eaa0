import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDollars } from '../../format/dollars.ts'
import { useConfirm } from '../../parts/dialogs/use-confirm.tsx'

interface CreditRequest {
  readonly name: string
  /** Current balance; zero for a new account. */
  readonly availableNano: string
  /** Negative when money is taken back. */
  readonly amountNano: string
  readonly reason: string
  readonly onYes: () => void
}

/** Confirms every credit of any amount, including the initial credit of a new account. */
export function useConfirmCredit(): [(request: CreditRequest) => void, ReactNode] {
  const { t } = useTranslation()
  const [ask, dialog] = useConfirm()
  const confirm = ({ name, availableNano, amountNano, reason, onYes }: CreditRequest) => {
    const isCorrection = amountNano.startsWith('-')
    const values = { amount: formatDollars(amountNano.replace('-', '')), name }
    ask({
      title: isCorrection ? t('people.correctTitle', values) : t('people.grantTitle', values),
      text: (
        <Stack gap="xs">
          <Text size="sm">{t('people.confirmReason', { reason })}</Text>
          <BalanceAfter availableNano={availableNano} amountNano={amountNano} />
        </Stack>
      ),
      action: isEnough({ availableNano, amountNano })
        ? t(isCorrection ? 'people.correct' : 'people.grant')
        : undefined,
      ...(isCorrection ? {} : { color: 'teal' }),
      onYes,
    })
  }
  return [confirm, dialog]
}

interface BalanceChange {
  readonly availableNano: string
  readonly amountNano: string
}

/** Whether the account has what the change deducts; otherwise the gateway would refuse the change. */
export function isEnough({ availableNano, amountNano }: BalanceChange): boolean {
  return !amountNano.startsWith('-') || BigInt(availableNano) + BigInt(amountNano) >= 0n
}

/** Shows the resulting balance, so that an extra zero is noticed. */
export function BalanceAfter(props: BalanceChange) {
  const { t } = useTranslation()
  const before = BigInt(props.availableNano)
  const after = before + BigInt(props.amountNano)
  const amounts = { before: formatDollars(before), after: formatDollars(after) }
  return (
    <Text size="sm">
      {isEnough(props) ? t('people.confirmBalance', amounts) : t('people.confirmShort', amounts)}
    </Text>
  )
}
